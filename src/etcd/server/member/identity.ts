import type { Behaviour } from '../../behaviour.ts';
import type { ServerConfig } from '../config/config.ts';

/** Who a member is, fixed for the life of its process. */
export interface MemberIdentity {
  readonly config: ServerConfig;
  readonly behaviour: Behaviour;
  readonly clusterId: string;
  readonly memberId: string;
}

/** How long a request may take: five seconds for disk and queueing, and two elections (reference/etcd.md D1). */
export function requestTimeoutUs(config: ServerConfig): number {
  return 5_000_000 + 2 * config.electionTicks * config.tickUs;
}

export function electionTimeoutUs(config: ServerConfig): number {
  return config.electionTicks * config.tickUs;
}

/** Longest attempt to reach a peer. */
export function peerDialTimeoutUs(config: ServerConfig): number {
  return 1_000_000 + electionTimeoutUs(config);
}

/** Shortest lease: one and a half elections, rounded up to a second. */
export function minLeaseTtlSec(config: ServerConfig): number {
  return Math.ceil((Math.floor((3 * config.electionTicks) / 2) * config.tickUs) / 1_000_000);
}
