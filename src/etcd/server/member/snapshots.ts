import { readWhole } from '../../../platform/disk.ts';
import { Fatal } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { type Message, type Snapshot, TERM_COMPACTED, TERM_UNAVAILABLE } from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import { readFrames } from '../backend/frame.ts';
import { encodeImage, StateBuilder } from '../backend/image.ts';
import { imageFileName } from '../snap/files.ts';
import type { Member } from './member.ts';
import { orFatal } from './persistence.ts';

/** Snapshots that may be on their way to peers at once (reference/etcd.md A12). */
const MAX_IN_FLIGHT = 16;

/**
 * Turns Raft's snapshot message into one at the index that is applied now, with the image of the state. After a restart the
 * state may be ahead of what the log has handed out again; the image says itself how far it is, and Raft's part of the
 * message is as old as its index. Null when too many are under way; Raft asks again later.
 */
export function prepareSnapshot(
  member: Member,
  message: Message,
): { readonly message: Message; readonly parts: readonly Uint8Array[] } | null {
  const { persistence, state, applyLoop, driver } = member;
  if (persistence.snapshotsInFlight >= MAX_IN_FLIGHT) return null;
  const term = driver.node.term(applyLoop.appliedIndex);
  if (term === TERM_COMPACTED || term === TERM_UNAVAILABLE) return null;
  persistence.snapshotStarted();
  const snapshot: Snapshot = {
    index: applyLoop.appliedIndex,
    term,
    confState: driver.node.status().config,
    data: null,
  };
  member.log.event(EtcdEvent.SnapshotSent, { memberId: member.memberId, to: message.to, index: snapshot.index });
  return { message: { ...message, snapshot }, parts: encodeImage(state.export()) };
}

/**
 * Makes a received image the member's state: the file takes the database's place, everything in memory is read from it.
 * Watchers go on from where they were.
 */
export function* installSnapshot(member: Member, snapDirectory: string, snapshot: Snapshot): Task<void> {
  const { platform, state, applyLoop, persistence, hub, transport } = member;
  if (snapshot.index <= applyLoop.appliedIndex) {
    throw new Fatal(`unexpected leader snapshot from outdated index: ${snapshot.index} <= ${applyLoop.appliedIndex}`);
  }
  const image = `${snapDirectory}/${imageFileName(snapshot.index)}`;
  const bytes = yield* orFatal('failed to open snapshot database', readWhole(platform.disk, image));
  if (bytes === undefined) throw new Fatal("failed to open snapshot database: snap: snapshot file doesn't exist");
  const builder = new StateBuilder();
  if (readFrames(bytes, (frame) => builder.add(frame)).end !== 'complete') {
    throw new Fatal('failed to open snapshot database: file is damaged');
  }
  yield* persistence.install(image, `${snapDirectory}/db`, snapshot.index, () => {
    // What it holds beyond the snapshot's index will not be applied again.
    state.load(builder.finish());
  });
  if (member.isLeader) member.leases.demote();
  applyLoop.jump(snapshot.index, snapshot.term);
  const members = state.cluster.members();
  for (const id of transport.peerIds) if (!members.some((other) => other.id === id)) transport.remove(id);
  for (const other of members) transport.add(other.id, other.peerUrls);
  hub.storeReplaced();
  const { compactRevision, finishedCompaction } = state.store;
  if (compactRevision > finishedCompaction) member.compactor.schedule(compactRevision);
  member.observer?.snapshot(member.memberId, snapshot.index, snapshot.term);
  member.log.event(EtcdEvent.SnapshotApplied, {
    memberId: member.memberId,
    index: snapshot.index,
    term: snapshot.term,
  });
}
