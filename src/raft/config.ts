import type { Config } from './api.ts';
import { RaftFatal } from './fatal.ts';
import { isLocalThread } from './ids.ts';
import { NO_LIMIT, NONE } from './types.ts';

/** A config with every default filled in. */
export type FullConfig = Required<Omit<Config, 'logger'>> & Pick<Config, 'logger'>;

function refuseIf(condition: boolean, text: string): void {
  if (condition) throw new RaftFatal(text);
}

/** Checks a config and fills in the defaults (reference/raft.md A2). Throws `RaftFatal` naming the first fault. */
export function completeConfig(config: Config): FullConfig {
  refuseIf(config.id === NONE, 'cannot use none as id');
  refuseIf(!/^[0-9a-f]{16}$/.test(config.id), `id must be sixteen lower-case hexadecimal digits: ${config.id}`);
  refuseIf(isLocalThread(config.id), 'cannot use local target as id');
  refuseIf(!(config.heartbeatTick > 0), 'heartbeat tick must be greater than 0');
  refuseIf(!(config.electionTick > config.heartbeatTick), 'election tick must be greater than heartbeat tick');
  refuseIf(!config.storage, 'storage cannot be nil');
  const maxSizePerMsgBytes = config.maxSizePerMsgBytes ?? NO_LIMIT;
  refuseIf(!(config.maxInflightMsgs > 0), 'max inflight messages must be greater than 0');
  const maxInflightBytes = config.maxInflightBytes || NO_LIMIT;
  refuseIf(maxInflightBytes < maxSizePerMsgBytes, 'max inflight bytes must be >= max message size');
  const readOnly = config.readOnly ?? 'safe';
  refuseIf(
    readOnly === 'lease-based' && !config.checkQuorum,
    'CheckQuorum must be enabled when ReadOnlyOption is ReadOnlyLeaseBased',
  );
  return {
    ...config,
    applied: config.applied ?? 0,
    asyncStorageWrites: config.asyncStorageWrites ?? false,
    maxSizePerMsgBytes,
    maxCommittedSizePerReadyBytes: config.maxCommittedSizePerReadyBytes || maxSizePerMsgBytes,
    maxUncommittedSizeBytes: config.maxUncommittedSizeBytes || NO_LIMIT,
    maxInflightBytes,
    checkQuorum: config.checkQuorum ?? false,
    preVote: config.preVote ?? false,
    readOnly,
    disableProposalForwarding: config.disableProposalForwarding ?? false,
    disableConfChangeValidation: config.disableConfChangeValidation ?? false,
    stepDownOnRemoval: config.stepDownOnRemoval ?? false,
    behaviour: config.behaviour ?? '3.7',
  };
}
