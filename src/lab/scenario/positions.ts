import { type Document, isMap, isNode, isPair, isScalar, isSeq, type LineCounter, type Node } from 'yaml';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds where a path of keys and indexes stands in a YAML document; the nearest existing ancestor when it is missing. */
export class PlaceFinder {
  #document: Document;
  #lines: LineCounter;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  /** The value at `path`; with `key`, the key that introduces it. */
  find(path: readonly PropertyKey[], which: 'key' | 'value' = 'value'): Place {
    let node: unknown = this.#document.contents;
    let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    for (let i = 0; i < path.length; i++) {
      const next = child(node, path[i]!);
      if (next === undefined) break;
      const wanted = i === path.length - 1 && which === 'key' ? (next.key ?? next.value) : (next.value ?? next.key);
      offset = isNode(wanted) ? (wanted.range?.[0] ?? offset) : offset;
      node = next.value;
    }
    return this.at(offset);
  }

  at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

function child(node: unknown, step: PropertyKey): { key?: Node; value: unknown } | undefined {
  if (isMap(node)) {
    for (const pair of node.items) {
      if (isPair(pair) && isScalar(pair.key) && String(pair.key.value) === String(step))
        return { key: pair.key, value: pair.value };
    }
  }
  if (isSeq(node) && typeof step === 'number' && node.items[step] !== undefined) return { value: node.items[step] };
  return undefined;
}
