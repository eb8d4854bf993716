/** The simulated network: what the simulation's kernel builds on. */
export type { Due, NetDeps, NetScheduler, SocketOwner } from './deps.ts';
export type { FaultHandle, LinkEffect, NetworkFaults, Nodes, SwizzleStep } from './faults.ts';
export { fixedLatency, type LatencyModel, lanLatency, tailedLatency, uniformLatency } from './latency.ts';
export { Network } from './network.ts';
export type {
  KernelControl,
  NatSpec,
  NetworkControl,
  NicSpec,
  NodeSpec,
  PodControl,
  ProcessNet,
  RouterSpec,
  SegmentSpec,
} from './types.ts';
