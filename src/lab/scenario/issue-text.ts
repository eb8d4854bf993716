import type { z } from 'zod';
import { didYouMean } from './problem.ts';

/** What is wrong with a value, and how to mend it, in words that need no knowledge of the checker. */
export interface IssueText {
  readonly message: string;
  readonly hint?: string;
}

const KINDS: Readonly<Record<string, string>> = Object.freeze({
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  record: 'a mapping',
  object: 'a mapping',
});

const HOW_TO: Readonly<Record<string, string>> = Object.freeze({
  string: 'put it in quotes',
  number: 'write it in digits, without quotes',
  int: 'write it in digits, without quotes and without a fraction',
  boolean: 'write true or false, without quotes',
  array: 'write one item a line, each after "- ", or [a, b]',
  record: 'write one "name: …" a line, each indented by the same number of spaces',
  object: 'write one "name: …" a line, each indented by the same number of spaces',
});

/** The words for one complaint of the schema. */
export function issueText(issue: z.core.$ZodIssue): IssueText {
  switch (issue.code) {
    case 'invalid_type':
      return wrongKind(issue.expected, issue.input);
    case 'invalid_value':
      return wrongChoice(issue.values.map(String), issue.input);
    case 'too_small':
    case 'too_big':
      return { message: wrongSize(issue) };
    case 'invalid_key':
      return { message: `"${String(issue.input)}" is no name: ${issue.issues[0]?.message ?? 'choose another'}` };
    default:
      return { message: issue.message };
  }
}

function wrongKind(expected: string, input: unknown): IssueText {
  const wanted = KINDS[expected] ?? expected;
  if (input === undefined) return { message: `missing; it needs ${wanted}` };
  // Quotes make a text of a number, but not of a list.
  const hint = expected === 'string' && typeof input === 'object' ? undefined : HOW_TO[expected];
  return { message: `needs ${wanted}, not ${shown(input)}`, ...(hint !== undefined && { hint }) };
}

function wrongChoice(values: readonly string[], input: unknown): IssueText {
  const near = typeof input === 'string' ? didYouMean(input, values) : undefined;
  const message = `${shown(input)} is none of ${values.join(', ')}`;
  return near === undefined ? { message } : { message, hint: `did you mean "${near}"?` };
}

function wrongSize(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  if (issue.origin === 'array') return issue.code === 'too_small' ? 'needs at least one item' : 'has too many items';
  if (issue.origin === 'string') return 'must not be empty';
  const [bound, word] = issue.code === 'too_small' ? [issue.minimum, 'least'] : [issue.maximum, 'most'];
  if (issue.inclusive === true) return `must be at ${word} ${bound}`;
  return `must be ${issue.code === 'too_small' ? 'more' : 'less'} than ${bound}`;
}

/** A value as a person would call it. */
function shown(input: unknown): string {
  if (input === null) return 'nothing';
  if (Array.isArray(input)) return 'a list';
  if (typeof input === 'object') return 'a mapping';
  return typeof input === 'string' ? `"${input}"` : String(input);
}
