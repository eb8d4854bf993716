import type { Config } from './api.ts';
import { restoreMembers } from './confchange/restore.ts';
import { Core } from './core.ts';
import { RaftFatal } from './fatal.ts';
import { idHex } from './ids.ts';
import { appliedTo, switchToConfig } from './membership.ts';
import { step } from './step.ts';
import { NONE } from './types.ts';

/** Brings a node to where its storage says it was (reference/raft.md A4). */
export function startCore(given: Config): Core {
  const core = new Core(given);
  const { config, log, tracker } = core;
  const { hardState, confState } = config.storage.initialState();
  const built = restoreMembers(confState, {
    lastIndex: log.lastIndex(),
    newInflights: () => tracker.newInflights(),
  });
  if (typeof built === 'string') throw new RaftFatal(built);
  core.assertSameConfState(confState, switchToConfig(core, built));
  if (hardState.term !== 0 || hardState.vote !== NONE || hardState.commit !== 0) core.loadHardState(hardState);
  if (config.applied > 0) appliedTo(core, config.applied, 0, step);
  core.becomeFollower(core.term, NONE);
  config.logger?.log(
    'INFO',
    `newRaft ${idHex(core.id)} [peers: [${tracker.voterIds().map(idHex).join(',')}], term: ${core.term}, ` +
      `commit: ${log.committed}, applied: ${log.applied}, lastindex: ${log.lastIndex()}, lastterm: ${log.lastTerm()}]`,
  );
  return core;
}
