/**
 * Printing with explanations, as `gen config` does by default (reference/network-config.md E.11 "Comments on"): scalars are
 * explained behind the value, everything else above the key, and fields that are not set are shown as commented-out examples
 * at the end of their section. The words are ours.
 */

import { emitDocument, type Out } from '../encode/emit.ts';
import { structOut } from '../encode/print.ts';
import { type ConfigSet, printConfigSet } from '../patch/config-set.ts';
import { fieldsIn } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue, Field, StructSpec } from '../schema/types.ts';
import { examplesOf } from './examples.ts';

export interface CommentOptions {
  readonly minor: number;
  readonly docs: boolean;
  readonly examples: boolean;
}

const STEP = '    ';

/** The stream with comments; without any the plain one. */
export function printCommented(set: ConfigSet, options: CommentOptions): string {
  if (!options.docs && !options.examples) return printConfigSet(set, options.minor);
  return set.documents
    .map((document) => {
      if (document.spec === null) return printConfigSet({ documents: [document] }, options.minor);
      return `${structLines(document.spec.struct, document.value, options).join('\n')}\n`;
    })
    .join('---\n');
}

function structLines(spec: StructSpec, value: ConfigObject, options: CommentOptions): string[] {
  const lines: string[] = [];
  const plain = printedFields(spec, value, options.minor);
  for (const field of fieldsIn(spec, options.minor)) {
    const out = plain.get(field.name);
    if (out !== undefined) lines.push(...fieldLines(field, value[field.name], out, options));
  }
  if (options.examples) lines.push(...exampleLines(spec, value, options.minor));
  return lines;
}

/** The commenting printer sorts map keys bytewise and keeps empty lists that are not nil. */
function printedFields(spec: StructSpec, value: ConfigObject, minor: number): Map<string, Out> {
  const out = structOut(spec, value, { minor, encoder: 'commented' });
  return new Map(out.kind === 'map' ? out.entries : []);
}

function fieldLines(field: Field, value: ConfigValue | undefined, out: Out, options: CommentOptions): string[] {
  const isStruct = field.type.kind === 'struct' && typeof value === 'object' && value !== null;
  if (isStruct && out.kind === 'map' && out.entries.length > 0) {
    const { struct } = field.type as Extract<Field['type'], { kind: 'struct' }>;
    const inner = structLines(struct, value as ConfigObject, options).map((line) => (line === '' ? '' : STEP + line));
    return [...headComment(field, options), `${field.name}:`, ...inner];
  }
  const text = emitDocument({ kind: 'map', entries: [[field.name, sortedOut(out)]] });
  const lines = text.slice(0, -1).split('\n');
  if (lines.length > 1 || out.kind === 'map' || out.kind === 'list') return [...headComment(field, options), ...lines];
  return [options.docs && field.doc !== '' ? `${lines[0]} # ${field.doc}` : lines[0]!];
}

function headComment(field: Field, options: CommentOptions): string[] {
  return options.docs && field.doc !== '' ? [`# ${field.doc}`] : [];
}

function sortedOut(out: Out): Out {
  if (out.kind === 'list') return { kind: 'list', items: out.items.map(sortedOut) };
  return out;
}

/** Examples of fields that are not set, in field order. */
function exampleLines(spec: StructSpec, value: ConfigObject, minor: number): string[] {
  const examples = examplesOf(spec.goType);
  return fieldsIn(spec, minor).flatMap(({ name }) => {
    const text = examples[name];
    if (text === undefined || value[name] !== undefined) return [];
    return ['', ...text.split('\n').map((line) => `# ${line}`)];
  });
}
