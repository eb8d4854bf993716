import type { Task } from '../../platform/task.ts';
import type {
  AddressSpecSpec,
  HostnameSpecSpec,
  ResolverSpecSpec,
  RouteSpecSpec,
  TimeServerSpecSpec,
} from '../resources/network.ts';

/** Network settings that an operator wants right now. */
export interface OperatorOutputs {
  readonly addresses: readonly AddressSpecSpec[];
  readonly routes: readonly RouteSpecSpec[];
  readonly hostname: HostnameSpecSpec | null;
  readonly resolvers: ResolverSpecSpec | null;
  readonly timeServers: TimeServerSpecSpec | null;
}

export const NO_OUTPUTS: OperatorOutputs = Object.freeze({
  addresses: [],
  routes: [],
  hostname: null,
  resolvers: null,
  timeServers: null,
});

/** Something that configures a link by talking to others: DHCP, a shared address. */
export interface Operator {
  /** Stands before the ids of its specs: `dhcp4/eth0`. */
  readonly prefix: string;
  outputs(): OperatorOutputs;
  /** Runs until it is stopped; `notify` says that the outputs changed. */
  run(notify: () => void): Task<void>;
  /** Asks it to wind down; `run` returns when it has. */
  stop(): void;
}
