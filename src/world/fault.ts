/** Kinds of faults that a scenario, a shell or a plan may ask for (docs/scenarios.md). */
export const FAULT_KINDS = [
  'power-off',
  'power-on',
  'reboot',
  'freeze',
  'unfreeze',
  'kill',
  'stop',
  'continue',
  'partition',
  'isolate',
  'heal',
  'delay',
  'loss',
  'clock-jump',
  'clock-drift',
  'disk-full',
  'disk-slow',
  'disk-errors',
  'blank-disk',
  'alter-etcd',
  'service-down',
  'service-up',
  'dns-record',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** Services outside of the cluster that can be taken down. */
export const OUTSIDE_SERVICES = ['discovery', 'time', 'registry', 'load-balancer', 'dns'] as const;
export type OutsideService = (typeof OUTSIDE_SERVICES)[number];

/** A fault as data. */
export interface FaultSpec {
  readonly fault: FaultKind;
  readonly machines: readonly string[];
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly oneWay?: boolean;
  /** The fault ends by itself after this time. */
  readonly forUs?: number;
  /** Amount of `delay` and `clock-jump` in microseconds, of `clock-drift` in parts per million. */
  readonly amount?: number;
  readonly percent?: number;
  /** Container id for `kill`, `stop` and `continue`. */
  readonly process?: string;
  readonly service?: OutsideService;
  /** For `dns-record`: the name, and the addresses that it has from now on; none: nobody knows it. */
  readonly record?: string;
  readonly addresses?: readonly string[];
  /** Device path; default: the machine's first disk. */
  readonly disk?: string;
  /** Key of etcd, for `alter-etcd`. */
  readonly key?: string;
  /** For `heal`: the name that the fault was given. Without it every fault ends. */
  readonly name?: string;
}
