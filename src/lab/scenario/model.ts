import type { FaultSpec } from '../../world/fault.ts';
import type { WorldNetwork } from '../../world/spec.ts';
import type { Place } from './positions.ts';
import type { DiskEntry, Expectation } from './schema.ts';

/** A scenario ready to run: names resolved, durations in microseconds, command lines split. */
export interface Scenario {
  readonly file: string;
  readonly name: string;
  readonly teaches?: string;
  readonly talosVersion: string;
  /** What right clocks show at the start, since the Unix epoch; default 2025-10-01. */
  readonly epochUs?: number;
  /** Addresses that nothing of the world may take. */
  readonly reserved?: readonly string[];
  readonly networks: readonly NetworkSpec[];
  readonly machines: readonly MachineSpec[];
  readonly loadBalancer?: { readonly address: string; readonly backends: readonly string[]; readonly port: number };
  /** Names beside those of the internet that name servers know which are no hosts here. */
  readonly publicNames?: Readonly<Record<string, readonly string[]>>;
  /** A name server on the first network. */
  readonly dns?: { readonly address: string; readonly records: Readonly<Record<string, readonly string[]>> };
  /** Extensions of an installer of the image factory, by the id of its schematic. */
  readonly schematics?: Readonly<Record<string, readonly string[]>>;
  readonly steps: readonly Step[];
  readonly expect: readonly Expectation[];
  readonly violates: readonly string[];
  readonly mistakes: readonly MistakeSpec[];
}

export type NetworkNat = NonNullable<WorldNetwork['nat']>;

export interface NetworkSpec {
  readonly name: string;
  readonly cidr: string;
  readonly gateway?: string;
  readonly nat?: NetworkNat;
  readonly latencyUs?: number;
  readonly jitterUs?: number;
}

export interface MachineSpec {
  readonly name: string;
  readonly address: string;
  readonly network: string;
  /** Name of its network card as its kernel shows it; default `eth0`. */
  readonly link?: string;
  readonly mac?: string;
  readonly disks: readonly DiskEntry[];
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly powered: boolean;
}

interface StepTiming {
  /** Not before this time since the start of the run. */
  readonly atUs?: number;
  /** Do not wait for its end; `as` names it for `wait` and `heal`. */
  readonly background: boolean;
  readonly as?: string;
  readonly id?: string;
  /** Begins a page of the lesson, which this text explains. */
  readonly title?: string;
  readonly text?: string;
  readonly place: Place;
}

export interface CommandStep extends StepTiming {
  readonly kind: 'run';
  readonly line: string;
  readonly words: readonly string[];
  /** Expected exit code; default 0. */
  readonly exit: number;
  /** Text that standard output or error must contain. */
  readonly output?: string;
  /** Variables to set, each to the first group that its pattern finds in standard output. */
  readonly capture?: Readonly<Record<string, string>>;
}

export interface AwaitStep extends StepTiming {
  readonly kind: 'await';
  readonly line: string;
  readonly words: readonly string[];
  readonly withinUs: number;
  readonly output?: string;
  /** Commands of earlier steps that are given once more each time that `everyUs` have passed in vain. */
  readonly again: readonly (CommandStep | AwaitStep)[];
  readonly everyUs: number;
}

export interface AdvanceStep extends StepTiming {
  readonly kind: 'advance';
  readonly durationUs: number;
}

export interface WaitStep extends StepTiming {
  readonly kind: 'wait';
  readonly name: string;
}

export interface FaultStepSpec extends StepTiming {
  readonly kind: 'fault';
  readonly fault: FaultSpec;
}

export interface ParallelSteps extends StepTiming {
  readonly kind: 'parallel';
  readonly steps: readonly Step[];
}

export type Step = CommandStep | AwaitStep | AdvanceStep | WaitStep | FaultStepSpec | ParallelSteps;

export interface MistakeSpec {
  readonly name: string;
  readonly about: string;
  readonly after?: string;
  readonly before?: string;
  readonly skips: readonly string[];
  readonly steps: readonly Step[];
  readonly violates: readonly string[];
  /** Replaces the scenario's own expectations. */
  readonly expect?: readonly Expectation[];
  readonly repair?: string;
}
