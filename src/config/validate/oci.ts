/** Whether `baseRuntimeSpecOverrides` fits the OCI runtime spec (reference/network-config.md E.5 row 3). */
import type { ConfigValue } from '../schema/types.ts';
import { isObject } from '../view.ts';

type Shape =
  | 'string'
  | 'bool'
  | 'int'
  | 'uint'
  | 'strings'
  | 'any'
  | { readonly [field: string]: Shape }
  | readonly [Shape];

const RLIMIT: Shape = Object.freeze({ type: 'string', hard: 'uint', soft: 'uint' });
const MOUNT: Shape = Object.freeze({ destination: 'string', type: 'string', source: 'string', options: 'strings' });

/** The parts of the spec that overrides touch; other fields are ignored, as the JSON decoder ignores unknown ones. */
const SPEC: Shape = Object.freeze({
  ociVersion: 'string',
  hostname: 'string',
  domainname: 'string',
  annotations: 'any',
  root: Object.freeze({ path: 'string', readonly: 'bool' }),
  mounts: Object.freeze([MOUNT] as const),
  process: Object.freeze({
    terminal: 'bool',
    user: Object.freeze({ uid: 'uint', gid: 'uint', umask: 'uint', username: 'string' }),
    args: 'strings',
    commandLine: 'string',
    env: 'strings',
    cwd: 'string',
    capabilities: Object.freeze({
      bounding: 'strings',
      effective: 'strings',
      inheritable: 'strings',
      permitted: 'strings',
      ambient: 'strings',
    }),
    rlimits: Object.freeze([RLIMIT] as const),
    noNewPrivileges: 'bool',
    apparmorProfile: 'string',
    oomScoreAdj: 'int',
    selinuxLabel: 'string',
  }),
  linux: Object.freeze({
    cgroupsPath: 'string',
    rootfsPropagation: 'string',
    maskedPaths: 'strings',
    readonlyPaths: 'strings',
    mountLabel: 'string',
    sysctl: 'any',
    resources: 'any',
  }),
});

/** What does not fit, in the words of Go's JSON decoder; undefined when all fits. */
export function ociSpecProblem(overrides: ConfigValue): string | undefined {
  return problem(SPEC, overrides, 'Spec');
}

function problem(shape: Shape, value: ConfigValue, path: string): string | undefined {
  if (value === null || shape === 'any') {
    return undefined;
  }
  if (typeof shape === 'string') {
    return scalarFits(shape, value) ? undefined : wrongType(value, path, goName(shape));
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) {
      return wrongType(value, path, 'slice');
    }
    return first(value.map((item) => problem(shape[0], item, path)));
  }
  if (!isObject(value)) {
    return wrongType(value, path, 'struct');
  }
  return first(
    Object.entries(value).map(([key, item]) => {
      const below = shape[key];
      return below === undefined ? undefined : problem(below, item, `${path}.${key}`);
    }),
  );
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function scalarFits(shape: 'string' | 'bool' | 'int' | 'uint' | 'strings', value: ConfigValue): boolean {
  switch (shape) {
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string' || item === null);
    default:
      return (typeof value === 'bigint' || Number.isInteger(value)) && (shape === 'int' || Number(value) >= 0);
  }
}

function goName(shape: 'string' | 'bool' | 'int' | 'uint' | 'strings'): string {
  return shape === 'strings' ? '[]string' : shape === 'uint' ? 'uint64' : shape;
}

function wrongType(value: ConfigValue, path: string, goType: string): string {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'object' ? 'object' : jsonKind(value);
  return `json: cannot unmarshal ${kind} into Go struct field ${path} of type ${goType}`;
}

function jsonKind(value: ConfigValue): string {
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Number.isInteger(Number(value)) ? 'number' : `number ${String(value)}`;
  }
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((found) => found !== undefined);
}
