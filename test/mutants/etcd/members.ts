import type { Row } from './row.ts';

/** Who belongs to the cluster, and who counts. */
export const MEMBER_ROWS: readonly Row[] = Object.freeze<Row[]>([
  [
    'learner-counts-for-health',
    'B3, G2 membership',
    'learners count as voters when a reconfiguration is judged',
    'server/membership/reconfiguration.ts',
    'return view.members.filter((member) => !member.isLearner);',
    'return view.members;',
  ],
  [
    'promotion-not-stored',
    'G2 membership #19557',
    'a promoted learner is a learner again after a restart',
    'server/membership/cluster.ts',
    "      this.#save(member);\n      return { kind: 'promoted', member };",
    "      this.#members.set(member.id, member);\n      return { kind: 'promoted', member };",
  ],
  [
    'conf-state-not-stored',
    'A12',
    'the voters that a snapshot names are those of long ago',
    'server/member/apply-loop.ts',
    '      state.setConfState(confState);\n',
    '',
  ],
  [
    'removed-member-remembered-as-voter',
    'B8',
    'Raft goes on counting a member that was removed',
    'server/member/apply-loop.ts',
    'const confState = this.#owner.applyConfChange(change);',
    'const confState = this.#owner.applyConfChange(change.type === 1 ? { ...change, nodeId: NONE } : change);',
  ],
  [
    'images-without-removed-members',
    'B1, B4',
    'an image of the database does not say who was removed',
    'server/backend/image.ts',
    '        removedMembers: state.removedMembers,\n',
    '',
  ],
  [
    'learner-not-ready-promoted',
    'B3, G2 membership #15096',
    'a learner is promoted that has nothing of the log yet',
    'server/member/reconfigure.ts',
    '    if (learner.match * 100 < (leader?.match ?? 0) * READY_PERCENT) throw rpcError(EtcdError.LearnerNotReady);\n',
    '',
  ],
  [
    'restarted-leader-sends-no-image',
    'own',
    'a leader whose database is ahead of its log sends nobody an image, and so never gets further',
    'server/member/snapshots.ts',
    '  if (persistence.snapshotsInFlight >= MAX_IN_FLIGHT) return null;\n',
    '  if (persistence.snapshotsInFlight >= MAX_IN_FLIGHT || state.consistentIndex > applyLoop.appliedIndex) return null;\n',
  ],
  [
    'forwarded-from-removed-ends-stream',
    'G2 membership',
    'a member that forwards what a removed one said is taken for removed itself',
    'server/peers/server.ts',
    "  if (member.isRemoved(sender)) throw new RpcError('PermissionDenied', PeerRefusal.RemovedMember);\n",
    "  if (member.isRemoved(message.from)) throw new RpcError('PermissionDenied', PeerRefusal.RemovedMember);\n",
  ],
]);
