/** Reads a multi-document YAML stream into node trees with positions. */

import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type Scalar } from 'yaml';
import { goQuote } from '../../platform/text/quote.ts';
import { tooDeep } from './depth.ts';
import { type LineIndex, lineIndex } from './lines.ts';
import type { ListNode, MapEntry, MapNode, ScalarNode, YamlNode } from './node.ts';
import { resolvePlain, resolveTagged } from './resolve.ts';
import { forbiddenCharacter, type SyntaxProblem, syntaxProblem } from './syntax.ts';

/** One document of the stream. `root` is absent when the document holds nothing (`---` alone). */
export interface YamlDocument {
  readonly root: YamlNode | undefined;
  readonly offset: number;
}

export interface YamlStream {
  readonly documents: readonly YamlDocument[];
  /** Syntax problems and repeated keys, in text order. With any of them the documents may be incomplete. */
  readonly problems: readonly SyntaxProblem[];
  readonly lines: LineIndex;
}

/** Deepest nesting read; far above any config, and safe for the recursive walks. */
const MAX_DEPTH = 200;
/** Nodes that aliases may expand to before the document counts as an attack. */
const MAX_EXPANSION = 100_000;

/** Reads the text. Never throws: whatever is wrong comes back as located problems. */
export function readYaml(text: string): YamlStream {
  const lines = lineIndex(text);
  const bad = forbiddenCharacter(text) ?? tooDeep(text);
  if (bad !== undefined) {
    return { documents: [], problems: [bad], lines };
  }
  let parsed: ReturnType<typeof parseAllDocuments>;
  try {
    parsed = parseAllDocuments(text, {
      schema: 'failsafe',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
  } catch (cause) {
    const message = cause instanceof RangeError ? 'exceeded max depth' : `invalid YAML: ${String(cause)}`;
    return { documents: [], problems: [{ offset: 0, message, hint: '' }], lines };
  }
  const reader = new Reader();
  const documents: YamlDocument[] = [];
  if (Array.isArray(parsed)) {
    for (const document of parsed) {
      const first = document.errors[0];
      if (first !== undefined) {
        reader.problems.push(syntaxProblem(first));
        continue;
      }
      const root = document.contents === null ? undefined : reader.document(document.contents as Node);
      documents.push({ root, offset: root?.offset ?? document.range?.[0] ?? 0 });
    }
  }
  return { documents, problems: reader.problems.sort((a, b) => a.offset - b.offset), lines };
}

type Target = ScalarNode | MapNode | ListNode;

class Reader {
  readonly problems: SyntaxProblem[] = [];
  private anchors = new Map<string, Target | 'open'>();
  private sizes = new Map<Target, number>();
  private expanded = 0;

  document(contents: Node): YamlNode {
    this.anchors = new Map();
    this.sizes = new Map();
    this.expanded = 0;
    return this.node(contents, 0);
  }

  private node(source: Node | null, depth: number): YamlNode {
    if (source === null) {
      return nullNode(0);
    }
    const offset = source.range?.[0] ?? 0;
    if (depth > MAX_DEPTH) {
      return this.problem(offset, 'exceeded max depth', 'the document is nested too deeply');
    }
    if (isAlias(source)) {
      return this.alias(source.source, offset);
    }
    const anchor = (source as { anchor?: string }).anchor;
    if (anchor !== undefined) {
      this.anchors.set(anchor, 'open');
    }
    const node = this.content(source, offset, depth);
    if (anchor !== undefined) {
      this.anchors.set(anchor, node);
    }
    return node;
  }

  private content(source: Node, offset: number, depth: number): Target {
    if (isScalar(source)) {
      return this.scalar(source, offset);
    }
    if (isMap(source)) {
      return this.mapping(source.items as Pair<Node | null, Node | null>[], offset, depth);
    }
    if (isSeq(source)) {
      const items = (source.items as (Node | null)[]).map((item) => this.node(item, depth + 1));
      return { kind: 'list', items, offset };
    }
    return this.problem(offset, 'invalid YAML: unexpected content', '');
  }

  private mapping(items: readonly Pair<Node | null, Node | null>[], offset: number, depth: number): MapNode {
    const entries: MapEntry[] = [];
    const seen = new Map<string, number>();
    for (const item of items) {
      const key = this.node(item.key, depth + 1);
      const value = item.value === null ? nullNode(key.offset) : this.node(item.value, depth + 1);
      entries.push({ key, value });
      if (key.kind !== 'scalar') {
        continue;
      }
      const earlier = seen.get(key.text);
      if (earlier === undefined) {
        seen.set(key.text, key.offset);
      } else {
        this.problems.push({
          offset: key.offset,
          message: `mapping key ${goQuote(key.text)} already defined`,
          hint: 'keep one of them',
          related: earlier,
        });
      }
    }
    return { kind: 'map', entries, offset };
  }

  private scalar(source: Scalar, offset: number): ScalarNode {
    const text = typeof source.value === 'string' ? source.value : String(source.value ?? '');
    const tag = source.tag;
    if (tag !== undefined && tag !== '!') {
      const resolved = resolveTagged(tag, text);
      if (resolved === undefined) {
        return this.problem(
          offset,
          `cannot decode !!str \`${text}\` as a ${tag.replace('tag:yaml.org,2002:', '!!')}`,
          '',
        );
      }
      return { kind: 'scalar', text, offset, ...resolved };
    }
    if (source.type === 'PLAIN' && tag === undefined) {
      return { kind: 'scalar', text, offset, ...resolvePlain(text) };
    }
    // A scalar without any text (an empty value) has no style in the parser; it is null, as a plain empty one.
    const absent = source.type === undefined || (source.type === 'PLAIN' && text === '');
    return absent ? nullNode(offset) : { kind: 'scalar', tag: 'str', text, value: text, offset };
  }

  private alias(name: string, offset: number): YamlNode {
    const target = this.anchors.get(name);
    if (target === undefined) {
      return this.problem(offset, `unknown anchor '${name}' referenced`, 'an anchor (&name) must come before its use');
    }
    if (target === 'open') {
      return this.problem(offset, `anchor '${name}' value contains itself`, '');
    }
    const before = this.expanded;
    this.expanded += this.size(target);
    if (before > MAX_EXPANSION) {
      // Reported once.
      return nullNode(offset);
    }
    if (this.expanded > MAX_EXPANSION) {
      return this.problem(offset, 'document contains excessive aliasing', 'write the values out instead');
    }
    return { kind: 'alias', name, target, offset };
  }

  /** Nodes that a target expands to, aliases within it included. */
  private size(node: YamlNode): number {
    const target = node.kind === 'alias' ? node.target : node;
    const known = this.sizes.get(target);
    if (known !== undefined) {
      return known;
    }
    let total = 1;
    if (target.kind === 'map') {
      for (const entry of target.entries) {
        total += this.size(entry.key) + this.size(entry.value);
      }
    } else if (target.kind === 'list') {
      for (const item of target.items) {
        total += this.size(item);
      }
    }
    this.sizes.set(target, total);
    return total;
  }

  private problem(offset: number, message: string, hint: string): ScalarNode {
    this.problems.push({ offset, message, hint });
    return nullNode(offset);
  }
}

function nullNode(offset: number): ScalarNode {
  return { kind: 'scalar', tag: 'null', text: '', value: null, offset };
}
