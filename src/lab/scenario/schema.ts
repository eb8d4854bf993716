import { z } from 'zod';
import { DEFAULT_VERSION } from '../../config/version.ts';
import { parseDurationUs } from '../../platform/text/duration.ts';
import { FAULT_KINDS, OUTSIDE_SERVICES } from '../../world/fault.ts';

/** The scenario file as zod schemas: names are a contract (docs/scenarios.md), unknown ones are refused. */

const duration = z.unknown().transform((value, context): number => {
  const us = typeof value === 'string' ? parseDurationUs(value) : undefined;
  if (us === undefined || us < 0) {
    const shown = typeof value === 'string' ? `"${value}"` : typeof value === 'number' ? `${value}` : 'this';
    context.addIssue({ code: 'custom', message: `${shown} is not a duration; write 30s, 10m or 1h30m` });
    return z.NEVER;
  }
  return us;
});

const identifier = z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'use lower-case letters, digits and dashes');

/** As certificates and name servers know hosts: at least two parts, all lower case. */
const hostName = z
  .string()
  .max(253)
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
    'use a host name in lower case, such as api.demo.example',
  );

const disk = z.strictObject({
  name: z.string().regex(/^\/dev\/[a-z0-9]+$/, 'a disk is named like /dev/sda'),
  sizeGiB: z.number().positive().default(50),
  serial: z.string().optional(),
  wwid: z.string().optional(),
  model: z.string().optional(),
  transport: z.enum(['sata', 'nvme', 'virtio', 'usb', 'mmc']).optional(),
  rotational: z.boolean().optional(),
});

const machine = z.strictObject({
  address: z.string(),
  network: z.string().optional(),
  disks: z.array(disk).min(1).optional(),
  cpus: z.number().int().positive().optional(),
  memoryGiB: z.number().positive().optional(),
  /** False leaves the machine off until a power-on. */
  powered: z.boolean().optional(),
});

const portNumber = z.number().int().min(1).max(65_535);

/** The rest of the world sees the whole network under one address. */
const nat = z.strictObject({
  address: z.string(),
  forward: z
    .array(
      z.strictObject({
        protocol: z.enum(['tcp', 'udp']),
        port: portNumber,
        to: z.string(),
        toPort: portNumber.optional(),
      }),
    )
    .default([]),
});

const network = z.strictObject({
  cidr: z.string(),
  gateway: z.string().optional(),
  nat: nat.optional(),
  latency: duration.optional(),
  jitter: duration.optional(),
});

const target = { machine: z.string().optional(), machines: z.array(z.string()).min(1).optional() };
const timing = {
  at: duration.optional(),
  background: z.boolean().optional(),
  as: identifier.optional(),
  id: identifier.optional(),
  title: z.string().min(1).optional(),
  text: z.string().min(1).optional(),
};

const faultStep = z.strictObject({
  fault: z.enum(FAULT_KINDS),
  ...target,
  from: z.array(z.string()).min(1).optional(),
  to: z.array(z.string()).min(1).optional(),
  oneWay: z.boolean().optional(),
  for: duration.optional(),
  // Parts per million are a number, which nobody puts in quotes.
  by: z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string()).optional(),
  percent: z.number().min(0).max(100).optional(),
  process: z.string().optional(),
  service: z.enum(OUTSIDE_SERVICES).optional(),
  record: hostName.optional(),
  addresses: z.array(z.string()).optional(),
  disk: z.string().optional(),
  key: z.string().min(1).optional(),
  name: identifier.optional(),
  ...timing,
});

/** A regular expression with the one group that is wanted. */
const pattern = z.string().refine(isPattern, 'is no regular expression with one group, such as "ID: ([0-9a-f]+)"');

const runStep = z.strictObject({
  run: z.string(),
  exit: z.number().int().min(0).max(255).optional(),
  output: z.string().optional(),
  capture: z.record(z.string().regex(/^[A-Z_][A-Z0-9_]*$/), pattern).optional(),
  ...timing,
});
const awaitStep = z.strictObject({
  await: z.string(),
  within: duration.optional(),
  output: z.string().optional(),
  again: z.union([identifier, z.array(identifier).min(1)]).optional(),
  every: duration.optional(),
  ...timing,
});
const advanceStep = z.strictObject({ advance: duration, ...timing });
const waitStep = z.strictObject({ wait: identifier, ...timing });

export interface ParallelStep {
  readonly parallel: readonly RawStep[];
  readonly at?: number | undefined;
  readonly background?: boolean | undefined;
  readonly as?: string | undefined;
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly text?: string | undefined;
}

export type RawStep =
  | string
  | z.output<typeof faultStep>
  | z.output<typeof runStep>
  | z.output<typeof awaitStep>
  | z.output<typeof advanceStep>
  | z.output<typeof waitStep>
  | ParallelStep;

const parallelStep: z.ZodType<ParallelStep> = z.lazy(() =>
  z.strictObject({ parallel: z.array(step).min(1), ...timing }),
);

const STEP_KINDS: Readonly<Record<string, z.ZodType<RawStep>>> = {
  fault: faultStep,
  run: runStep,
  await: awaitStep,
  advance: advanceStep,
  wait: waitStep,
  parallel: parallelStep,
};
export const STEP_KEYS: readonly string[] = Object.keys(STEP_KINDS);

/** A step is a command line, or a mapping whose kind is told by the one key among {@link STEP_KEYS} that it has. */
const step: z.ZodType<RawStep> = z.unknown().transform((value, context): RawStep => {
  if (typeof value === 'string') return value;
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const kinds = keys.filter((key) => STEP_KINDS[key] !== undefined);
  if (kinds.length !== 1) {
    const list = STEP_KEYS.join(', ');
    context.addIssue({ code: 'custom', message: `a step is a command line or a mapping with exactly one of: ${list}` });
    return z.NEVER;
  }
  const parsed = STEP_KINDS[kinds[0]!]!.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.addIssue({ ...issue } as never);
  return z.NEVER;
});

const etcdExpectation = z.strictObject({
  clusters: z.number().int().min(0).optional(),
  voters: z.number().int().min(0).optional(),
  learners: z.number().int().min(0).optional(),
  writable: z.boolean().optional(),
  leader: z.string().optional(),
  members: z.array(z.string()).optional(),
  births: z.array(z.string()).optional(),
});
const kubernetesExpectation = z.strictObject({
  ready: z.number().int().min(0).optional(),
  nodes: z.array(z.string()).optional(),
});
const vipExpectation = z.strictObject({
  owner: z.string().nullable().optional(),
  owners: z.array(z.string()).optional(),
});
const machineExpectation = z.strictObject({
  name: z.string(),
  stage: z.string().optional(),
  power: z.enum(['on', 'off']).optional(),
  disk: z.string().optional(),
  config: z.string().optional(),
  etcd: z.string().optional(),
  controlPlane: z.string().optional(),
  kubelet: z.string().optional(),
});
const commandExpectation = z.strictObject({
  run: z.string(),
  exit: z.number().int().optional(),
  output: z.string().optional(),
});

const expectation = z.strictObject({
  etcd: etcdExpectation.optional(),
  kubernetes: kubernetesExpectation.optional(),
  vip: vipExpectation.optional(),
  machine: machineExpectation.optional(),
  command: commandExpectation.optional(),
  within: duration.optional(),
});

const mistake = z.strictObject({
  about: z.string(),
  after: identifier.optional(),
  before: identifier.optional(),
  steps: z.array(step).min(1),
  skips: z.array(identifier).optional(),
  violates: z.array(z.string()).default([]),
  expect: z.array(expectation).optional(),
  repair: z.string().optional(),
});

export const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  teaches: z.string().optional(),
  talos: z.string().default(DEFAULT_VERSION.text),
  network: z.record(identifier, network),
  machines: z.record(identifier, machine),
  services: z
    .strictObject({
      loadBalancer: z
        .strictObject({
          address: z.string(),
          backends: z.array(z.string()).min(1),
          port: portNumber.optional(),
        })
        .optional(),
      dns: z.strictObject({ address: z.string(), records: z.record(hostName, z.array(z.string())) }).optional(),
    })
    .optional(),
  /** What the image factory knows: ids of schematics with their extensions. */
  schematics: z
    .record(z.string().regex(/^[0-9a-f]{64}$/, 'the id of a schematic has 64 hex digits'), z.array(z.string()))
    .default({}),
  steps: z.array(step),
  expect: z.array(expectation).default([]),
  violates: z.array(z.string()).default([]),
  mistakes: z.record(identifier, mistake).default({}),
});

export type RawScenario = z.output<typeof scenarioSchema>;
export type Expectation = z.output<typeof expectation>;
export type Mistake = z.output<typeof mistake>;
export type DiskEntry = z.output<typeof disk>;
export type FaultStep = z.output<typeof faultStep>;

function isPattern(text: string): boolean {
  try {
    return new RegExp(`${text}|`).exec('')!.length === 2;
  } catch {
    return false;
  }
}
