import type { Platform } from '../../../platform/platform.ts';
import { type MemoryStorage, type NodeId, RawNode } from '../../../raft/index.ts';
import type { ServerConfig } from '../config/config.ts';

const MAX_MESSAGE_BYTES = 1024 * 1024;
const MAX_IN_FLIGHT = 512;

/** Raft as etcd configures it (reference/etcd.md A12). */
export function makeNode(config: ServerConfig, platform: Platform, id: NodeId, storage: MemoryStorage): RawNode {
  const random = platform.random.stream('raft-election');
  return new RawNode({
    id,
    electionTick: config.electionTicks,
    heartbeatTick: 1,
    storage,
    electionJitter: (ticks) => random.int(0, ticks - 1),
    maxSizePerMsgBytes: MAX_MESSAGE_BYTES,
    maxInflightMsgs: MAX_IN_FLIGHT,
    checkQuorum: true,
    preVote: config.preVote,
    behaviour: '3.6',
  });
}
