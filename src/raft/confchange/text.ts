import { idDecimal, nodeId } from '../ids.ts';
import { quoteBytes } from '../quote.ts';
import type { AnyConfChange, ConfChangeSingle, ConfChangeType } from '../types.ts';
import { asV2 } from './codec.ts';

const TYPE_NAMES = Object.freeze([
  'ConfChangeAddNode',
  'ConfChangeRemoveNode',
  'ConfChangeUpdateNode',
  'ConfChangeAddLearnerNode',
]);
const TRANSITION_NAMES = Object.freeze([
  'ConfChangeTransitionAuto',
  'ConfChangeTransitionJointImplicit',
  'ConfChangeTransitionJointExplicit',
]);
/** Token letters by `ConfChangeType`. */
const LETTERS = 'vrul';

/** `v1 l2 r3 u4`: add voter, add learner, remove, update (reference/raft.md A15.8). */
export function confChangeTokens(changes: readonly ConfChangeSingle[]): string {
  return changes.map(({ type, nodeId: id }) => `${LETTERS[type] ?? 'unknown'}${idDecimal(id)}`).join(' ');
}

/** The changes behind such tokens, or the text of what is wrong with them. */
export function parseConfChangeTokens(text: string): ConfChangeSingle[] | string {
  const changes: ConfChangeSingle[] = [];
  if (text.trim() === '') return changes;
  for (const token of text.trim().split(' ')) {
    if (token.length < 2) return `unknown token ${token}`;
    const type = LETTERS.indexOf(token[0]!);
    if (type < 0) return `unknown input: ${token}`;
    const digits = token.slice(1);
    if (!/^\d+$/.test(digits)) return `strconv.ParseUint: parsing "${digits}": invalid syntax`;
    changes.push({ type: type as ConfChangeType, nodeId: nodeId(BigInt(digits)) });
  }
  return changes;
}

/** `ConfChangeAddNode(3) ConfChangeRemoveNode(1)`. */
export function describeChanges(changes: readonly ConfChangeSingle[]): string {
  return changes.map(({ type, nodeId: id }) => `${changeTypeName(type)}(${idDecimal(id)})`).join(' ');
}

/** The form of log lines (A15.8). */
export function describeConfChange(change: AnyConfChange): string {
  const { transition, changes, context } = asV2(change);
  let text = `transition:${TRANSITION_NAMES[transition] ?? transition}`;
  for (const { type, nodeId: id } of changes) {
    text += ` changes:{type:${changeTypeName(type)} node_id:${idDecimal(id)}}`;
  }
  if (context !== null && context.length > 0) text += ` context:${quoteBytes(context)}`;
  return text;
}

function changeTypeName(type: ConfChangeType): string {
  return TYPE_NAMES[type] ?? String(type);
}
