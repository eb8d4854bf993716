import type { Status } from './api.ts';
import { asV2, decodeConfChange, isConfChangeEntry } from './confchange/codec.ts';
import { confChangeTokens } from './confchange/text.ts';
import { roleName } from './core.ts';
import { describeTarget, idDecimal, idHex } from './ids.ts';
import { messageTypeName } from './message.ts';
import { progressStateName } from './progress.ts';
import { quoteBytes } from './quote.ts';
import {
  type ConfState,
  type Data,
  type Entry,
  type HardState,
  type Message,
  NONE,
  type NodeId,
  type Ready,
  type Snapshot,
  type SoftState,
} from './types.ts';

/** How to print the data of a normal entry. */
export type DataFormatter = (data: Data) => string;

/** Bytes as a quoted string; of an object only its size. */
export function quoteData(data: Data): string {
  if (data === null) return '""';
  return data instanceof Uint8Array ? quoteBytes(data) : `<${data.sizeBytes} bytes>`;
}

const TYPE_NAMES = Object.freeze(['EntryNormal', 'EntryConfChange', 'EntryConfChangeV2']);

function idList(ids: readonly NodeId[]): string {
  return `[${ids.map(idDecimal).join(' ')}]`;
}

export function describeConfState(state: ConfState): string {
  return (
    `Voters:${idList(state.voters)} VotersOutgoing:${idList(state.votersOutgoing)} ` +
    `Learners:${idList(state.learners)} LearnersNext:${idList(state.learnersNext)} AutoLeave:${state.autoLeave}`
  );
}

export function describeSnapshot({ index, term, confState }: Snapshot): string {
  return `Index:${index} Term:${term} ConfState:${describeConfState(confState)}`;
}

export function describeHardState({ term, vote, commit }: HardState): string {
  return `Term:${term}${vote === NONE ? '' : ` Vote:${idDecimal(vote)}`} Commit:${commit}`;
}

export function describeSoftState({ lead, role }: SoftState): string {
  return `Lead:${idDecimal(lead)} State:${roleName(role)}`;
}

/** `<term>/<index> <type> <data>`; conf changes as tokens (reference/raft.md B5). */
export function describeEntry(entry: Entry, format: DataFormatter = quoteData): string {
  let text: string;
  if (isConfChangeEntry(entry)) {
    const change = decodeConfChange(entry);
    text = typeof change === 'string' ? change : confChangeTokens(asV2(change).changes);
  } else {
    text = format(entry.data);
  }
  const name = TYPE_NAMES[entry.type] ?? String(entry.type);
  return `${entry.term}/${entry.index} ${name}${text === '' ? '' : ` ${text}`}`;
}

/** One line an entry. */
export function describeEntries(entries: readonly Entry[], format: DataFormatter = quoteData): string {
  return entries.map((entry) => `${describeEntry(entry, format)}\n`).join('');
}

/** A message as one line, or more where it carries more than one thing (B5.1). Contexts are not printed. */
export function describeMessage(message: Message, format: DataFormatter = quoteData, indent = ''): string {
  const { entries, snapshot, responses } = message;
  let text =
    `${indent}${describeTarget(message.from)}->${describeTarget(message.to)} ${messageTypeName(message.type)} ` +
    `Term:${message.term} Log:${message.logTerm}/${message.index}`;
  if (message.reject) text += ` Rejected (Hint: ${message.rejectHint})`;
  if (message.commit !== 0) text += ` Commit:${message.commit}`;
  if (message.vote !== NONE) text += ` Vote:${idDecimal(message.vote)}`;
  if (entries.length === 1) {
    text += ` Entries:[${describeEntry(entries[0]!, format)}]`;
  } else if (entries.length > 1) {
    const lines = entries.map((entry) => `\n${indent}  ${describeEntry(entry, format)}`);
    text += ` Entries:[${lines.join('')}\n${indent}]`;
  }
  if (snapshot !== null && snapshot.index !== 0) text += `\n${indent}  Snapshot: ${describeSnapshot(snapshot)}`;
  if (responses.length > 0) {
    const lines = responses.map((response) => `\n${describeMessage(response, format, `${indent}  `)}`);
    text += ` Responses:[${lines.join('')}\n${indent}]`;
  }
  return text;
}

/** Everything a Ready asks for, one item a line (B5). */
export function describeReady(ready: Ready, format: DataFormatter = quoteData): string {
  const { softState, hardState, readStates, entries, snapshot, committedEntries, messages } = ready;
  let text = '';
  if (softState !== null) text += `${describeSoftState(softState)}\n`;
  if (hardState !== null) text += `HardState ${describeHardState(hardState)}\n`;
  if (readStates.length > 0) {
    const states = readStates.map(({ index, requestContext }) => `{${index} [${[...requestContext].join(' ')}]}`);
    text += `ReadStates [${states.join(' ')}]\n`;
  }
  if (entries.length > 0) text += `Entries:\n${describeEntries(entries, format)}`;
  if (snapshot !== null) text += `Snapshot ${describeSnapshot(snapshot)}\n`;
  if (committedEntries.length > 0) text += `CommittedEntries:\n${describeEntries(committedEntries, format)}`;
  if (messages.length > 0) {
    text += `Messages:\n${messages.map((message) => `${describeMessage(message, format)}\n`).join('')}`;
  }
  return text === '' ? '<empty Ready>' : `Ready MustSync=${ready.mustSync}:\n${text}`;
}

/** The status as JSON text, the way etcd's debug pages show it (reference/raft.md A23). */
export function describeStatus(status: Status): string {
  const progress = status.progress.map(
    (one) => `"${idHex(one.id)}":{"match":${one.match},"next":${one.next},"state":"${progressStateName(one.state)}"}`,
  );
  return (
    `{"id":"${idHex(status.id)}","term":${status.term},"vote":"${idHex(status.vote)}","commit":${status.commit},` +
    `"lead":"${idHex(status.lead)}","raftState":"${roleName(status.role)}","applied":${status.applied},` +
    `"progress":{${progress.join(',')}},"leadtransferee":"${idHex(status.leadTransferee)}"}`
  );
}
