import type { Entry, Message } from '../../../src/raft/index.ts';
import type { Cluster } from './cluster.ts';
import type { Host } from './host.ts';

/** A hash of all that can make two states of a cluster go on differently, and of what the specification remembers. */
export function fingerprint(cluster: Cluster, more: readonly number[]): string {
  const { facts } = cluster.spec;
  const parts = cluster.hosts.map(hostText);
  // The network is a bag: order says nothing.
  parts.push(cluster.underWay.map(messageText).sort().join('|'));
  parts.push([...facts.leaders].join(), [...facts.votes].join(), `${facts.commitIndex}`, more.join());
  for (const { granted } of facts.nodes.values()) parts.push([...granted].sort().join());
  return hashed(parts.join('\n'));
}

function hostText(host: Host): string {
  const view = host.view();
  const { durable, visible } = host.disk;
  const { term, vote, role, lead, commit, applied, applying, unstableOffset, unstableOffsetInProgress } = view;
  const own = [
    term,
    vote,
    role,
    lead,
    commit,
    applied,
    applying,
    unstableOffset,
    unstableOffsetInProgress,
    host.applied,
  ];
  const disk = [durable.hardState, visible.hardState].map((state) => `${state.term},${state.vote},${state.commit}`);
  const peers = view.progress.map(
    ({ match, next, state, sentCommit, recentActive, paused, inflightMsgs }) =>
      `${match},${next},${state},${sentCommit},${recentActive},${paused},${inflightMsgs}`,
  );
  const votes = view.votes.map(({ id, granted }) => `${id}${granted}`);
  const logs = [view.entries, durable.entries, visible.entries].map(logText);
  return [own.join(), ...disk, ...peers, ...votes, ...logs].join(';');
}

function logText(entries: readonly Entry[]): string {
  return entries.map(({ index, term, data }) => `${index}.${term}${data === null ? '' : 'd'}`).join();
}

function messageText(message: Message): string {
  const { type, from, to, term, logTerm, index, commit, reject, rejectHint, entries } = message;
  return `${type},${from},${to},${term},${logTerm},${index},${commit},${reject},${rejectHint},${logText(entries)}`;
}

/** Sixty-four bits, enough for millions of states. */
function hashed(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x2f0b4c47;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return `${a >>> 0}:${b >>> 0}`;
}
