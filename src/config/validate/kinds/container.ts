/** Containers beside Kubernetes (reference/network-config.md E.4). */
import { parseBytes } from '../../../platform/text/humanize.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import type { ConfigObject, ConfigValue } from '../../schema/types.ts';
import { listAt, numberAt, objectAt, stringsAt, textAt } from '../../view.ts';
import type { DocumentCheck, Report } from '../report.ts';
import { all } from './common.ts';

const MAX_NAME = 63;

const checkName: DocumentCheck = (value, report) => {
  const name = textAt(value, 'name');
  const quoted = goQuote(name);
  if (name === '') {
    report(['name'], 'name is required');
  } else if (name.length > MAX_NAME) {
    report(['name'], `name ${quoted} must be ${MAX_NAME} characters or fewer`);
  } else if (!/^[a-z0-9-]+$/.test(name)) {
    report(['name'], `name ${quoted}: name can only contain lowercase ASCII letters, digits and hyphens`);
  }
};

const REPOSITORY = /^[a-z0-9._/:-]+$/;
const TAG = /^[A-Za-z0-9_.-]{1,128}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

function isImage(text: string): boolean {
  const [reference = '', digest, ...more] = text.split('@');
  const colon = reference.lastIndexOf(':');
  const hasTag = colon > reference.lastIndexOf('/');
  const repository = hasTag ? reference.slice(0, colon) : reference;
  const isTagged = !hasTag || TAG.test(reference.slice(colon + 1));
  return more.length === 0 && REPOSITORY.test(repository) && isTagged && (digest === undefined || DIGEST.test(digest));
}

const checkImage: DocumentCheck = (value, report) => {
  const image = textAt(value, 'image');
  if (image === '') {
    report(['image'], 'image is required');
  } else if (!isImage(image)) {
    report(['image'], `invalid image reference ${goQuote(image)}: could not parse reference: ${image}`);
  } else if (!image.includes('@')) {
    const quoted = `container ${goQuote(textAt(value, 'name'))}: image ${goQuote(image)}`;
    report(['image'], `${quoted} is not digest-pinned, the running image may change on restart`, 'warning');
  }
};

const checkEnvironment: DocumentCheck = (value, report) => {
  for (const [index, text] of stringsAt(value, 'environment').entries()) {
    if (!text.includes('=')) {
      report(['environment', index], `environment[${index}]: ${goQuote(text)} must be in KEY=value form`);
    }
  }
};

function pathProblem(shown: string, path: string): string | undefined {
  if (path === '') return `${shown} is required`;
  return path.startsWith('/') ? undefined : `${shown} ${goQuote(path)} must be an absolute path`;
}

const MOUNT_OPTIONS: readonly string[] = Object.freeze([
  'ro',
  'rw',
  'noexec',
  'nosuid',
  'nodev',
  'noatime',
  'rbind',
  'rshared',
]);

const MOUNT_KINDS = ['userVolume', 'tmpfs', 'hostPath'] as const;

/** Problems of one mount, which a message lists one a line. */
function mountProblems(mount: ConfigValue): string[] {
  const kinds = MOUNT_KINDS.filter((kind) => objectAt(mount, kind) !== undefined);
  if (kinds.length !== 1) {
    return ['exactly one of userVolume, tmpfs or hostPath must be set'];
  }
  const kind = kinds[0]!;
  const held = objectAt(mount, kind)!;
  const options = stringsAt(held, 'options');
  const problems = [
    kind === 'userVolume' && textAt(held, 'name') === '' ? 'userVolume.name is required' : undefined,
    kind === 'hostPath' ? pathProblem('hostPath.source', textAt(held, 'source')) : undefined,
    pathProblem(`${kind}.destination`, textAt(held, 'destination')),
    ...options
      .filter((option) => !MOUNT_OPTIONS.includes(option))
      .map((option) => `unsupported mount option ${goQuote(option)}`),
    options.includes('ro') && options.includes('rw') ? 'mount options ro and rw are mutually exclusive' : undefined,
  ];
  return problems.filter((problem) => problem !== undefined);
}

const checkMounts: DocumentCheck = (value, report) => {
  const destinations = new Set<string>();
  for (const [index, mount] of listAt(value, 'mounts').entries()) {
    const problems = mountProblems(mount);
    if (problems.length > 0) {
      report(['mounts', index], `mounts[${index}]: ${problems.join('\n')}`);
      continue;
    }
    const kind = MOUNT_KINDS.find((candidate) => objectAt(mount, candidate) !== undefined)!;
    const destination = textAt(mount, kind, 'destination');
    if (destinations.has(destination)) {
      report(['mounts', index], `mounts[${index}]: duplicate destination ${goQuote(destination)}`);
    }
    destinations.add(destination);
  }
};

function capabilityProblem(capability: string): string | undefined {
  const quoted = `capability ${goQuote(capability)}`;
  if (capability === '') return 'capability name must not be empty';
  if (capability.startsWith('CAP_')) return `${quoted} must be given without the CAP_ prefix`;
  if (capability.toUpperCase() !== capability) return `${quoted} must be upper case`;
  return /^[A-Z_]+$/.test(capability) ? undefined : `${quoted} may only contain upper case letters and underscores`;
}

const checkSecurity: DocumentCheck = (value, report) => {
  const profile = textAt(value, 'security', 'profile');
  if (!['', 'restricted', 'privileged'].includes(profile)) {
    const message = `unsupported security profile ${goQuote(profile)}, expected restricted or privileged`;
    report(['security', 'profile'], message);
  }
  for (const list of ['add', 'drop'] as const) {
    for (const [index, capability] of stringsAt(value, 'security', 'capabilities', list).entries()) {
      const path = ['security', 'capabilities', list, index];
      const problem = capability === 'ALL' ? undefined : capabilityProblem(capability);
      if (capability === 'ALL' && list === 'add') {
        report(path, 'capabilities.add does not accept ALL, use profile: privileged instead');
      } else if (problem !== undefined) {
        report(path, `capabilities.${list}: ${problem}`);
      }
    }
  }
  const dropped = stringsAt(value, 'security', 'capabilities', 'drop');
  for (const [index, capability] of stringsAt(value, 'security', 'capabilities', 'add').entries()) {
    if (dropped.includes(capability)) {
      const message = `capability ${goQuote(capability)} appears in both add and drop`;
      report(['security', 'capabilities', 'add', index], message);
    }
  }
};

const checkNetwork: DocumentCheck = (value, report) => {
  const mode = textAt(value, 'network', 'mode');
  if (!['', 'none', 'host'].includes(mode)) {
    report(['network', 'mode'], `unsupported network mode ${goQuote(mode)}, expected none or host`);
  }
};

function millicoresProblem(text: string): string | undefined {
  const quoted = goQuote(text);
  if (!text.endsWith('m')) return `${quoted} must be expressed in millicores, e.g. 1500m`;
  const digits = text.slice(0, -1);
  if (!/^[0-9]+$/.test(digits)) {
    const why = `strconv.ParseUint: parsing ${goQuote(digits)}: invalid syntax`;
    return `${quoted} is not a valid millicore quantity: ${why}`;
  }
  return BigInt(digits) === 0n ? `${quoted} must be greater than zero` : undefined;
}

const checkLimits: DocumentCheck = (value, report) => {
  const memory = textAt(value, 'resources', 'limits', 'memory');
  const bytes = memory === '' ? 0n : parseBytes(memory);
  if (typeof bytes === 'string') {
    report(['resources', 'limits', 'memory'], `limits.memory ${goQuote(memory)} is not a valid size: ${bytes}`);
  }
  const cpu = textAt(value, 'resources', 'limits', 'cpu');
  const problem = cpu === '' ? undefined : millicoresProblem(cpu);
  if (problem !== undefined) {
    report(['resources', 'limits', 'cpu'], `limits.cpu ${problem}`);
  }
};

const CONDITIONS: readonly string[] = Object.freeze(['addresses', 'connectivity', 'hostname', 'etcfiles']);

const checkDependencies: DocumentCheck = (value, report) => {
  for (const [index, path] of stringsAt(value, 'dependsOn', 'paths').entries()) {
    const problem = pathProblem('dependsOn.paths entry', path);
    if (problem !== undefined) {
      report(['dependsOn', 'paths', index], problem);
    }
  }
  for (const [index, condition] of stringsAt(value, 'dependsOn', 'networks').entries()) {
    if (!CONDITIONS.includes(condition)) {
      report(['dependsOn', 'networks', index], `unsupported dependsOn.networks condition ${goQuote(condition)}`);
    }
  }
  checkOthers(value, report);
};

function checkOthers(value: ConfigObject, report: Report): void {
  const own = textAt(value, 'name');
  for (const [index, other] of stringsAt(value, 'dependsOn', 'containers').entries()) {
    const path = ['dependsOn', 'containers', index];
    if (other === '') {
      report(path, 'dependsOn.containers entry must not be empty');
    } else if (other === own) {
      report(path, `container ${goQuote(own)} cannot depend on itself`);
    }
  }
}

const checkUser: DocumentCheck = (value, report) => {
  for (const key of ['uid', 'gid']) {
    const id = numberAt(value, 'runAs', key);
    if (id < 0) {
      report(['runAs', key], `runAs.${key} must be non-negative, got ${id}`);
    }
  }
};

export const checkContainer: DocumentCheck = all(
  checkName,
  checkImage,
  checkEnvironment,
  checkMounts,
  checkSecurity,
  checkNetwork,
  checkLimits,
  checkDependencies,
  checkUser,
);
