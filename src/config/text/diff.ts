/** Unified diffs with three lines of context, as the real tool prints them. */

type Op = { readonly kind: ' ' | '-' | '+'; readonly line: string };

const CONTEXT = 3;
/** Edit distance beyond which everything is shown as replaced; far above any real change. */
const MAX_DISTANCE = 4000;

/** Diff of two texts, headed `--- a` / `+++ b` or with `names`; empty when they are equal. */
export function unifiedDiff(before: string, after: string, names: readonly [string, string] = ['a', 'b']): string {
  if (before === after) {
    return '';
  }
  const ops = lineOps(splitLines(before), splitLines(after));
  let out = `--- ${names[0]}\n+++ ${names[1]}\n`;
  for (const [start, end] of hunks(ops)) {
    out += hunkText(ops, start, end);
  }
  return out;
}

function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines[lines.length - 1] === '') {
    lines.pop();
  }
  return lines;
}

/** Shortest edit script (Myers), after cutting what both texts share at their ends. */
function lineOps(a: readonly string[], b: readonly string[]): Op[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    head += 1;
  }
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) {
    tail += 1;
  }
  const keep = (line: string): Op => ({ kind: ' ', line });
  return [
    ...a.slice(0, head).map(keep),
    ...myers(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(keep),
  ];
}

function myers(a: readonly string[], b: readonly string[]): Op[] {
  const limit = a.length + b.length;
  const trace: Map<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  for (let d = 0; d <= limit && d <= MAX_DISTANCE; d += 1) {
    trace.push(furthest);
    const next = new Map(furthest);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0));
      let x = down ? (furthest.get(k + 1) ?? 0) : (furthest.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) {
        x += 1;
      }
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) {
        return backtrack(a, b, [...trace, next], d);
      }
    }
    furthest = next;
  }
  return [...a.map((line): Op => ({ kind: '-', line })), ...b.map((line): Op => ({ kind: '+', line }))];
}

function backtrack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Map<number, number>[],
  last: number,
): Op[] {
  const ops: Op[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = last; d >= 0; d -= 1) {
    const furthest = trace[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && (furthest.get(k - 1) ?? 0) < (furthest.get(k + 1) ?? 0));
    const previousK = down ? k + 1 : k - 1;
    const previousX = furthest.get(previousK) ?? 0;
    const previousY = previousX - previousK;
    while (x > previousX && y > previousY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      ops.push({ kind: ' ', line: a[x]! });
    }
    if (d > 0) {
      if (down) {
        y -= 1;
        ops.push({ kind: '+', line: b[y]! });
      } else {
        x -= 1;
        ops.push({ kind: '-', line: a[x]! });
      }
    }
  }
  return ops.reverse();
}

/** Ranges of operations that belong together: changes closer than twice the context share a hunk. */
function hunks(ops: readonly Op[]): (readonly [start: number, end: number])[] {
  const ranges: [number, number][] = [];
  for (const [index, op] of ops.entries()) {
    if (op.kind === ' ') {
      continue;
    }
    const last = ranges[ranges.length - 1];
    if (last !== undefined && index - last[1] <= CONTEXT * 2) {
      last[1] = index;
    } else {
      ranges.push([index, index]);
    }
  }
  return ranges.map(([start, end]) => [Math.max(0, start - CONTEXT), Math.min(ops.length, end + CONTEXT + 1)]);
}

function hunkText(ops: readonly Op[], start: number, end: number): string {
  const lines = ops.slice(start, end);
  const before = ops.slice(0, start);
  const count = (list: readonly Op[], kind: '-' | '+'): number =>
    list.filter((op) => op.kind !== (kind === '-' ? '+' : '-')).length;
  const range = (kind: '-' | '+'): string => {
    const size = count(lines, kind);
    const first = count(before, kind) + (size === 0 ? 0 : 1);
    return size === 1 ? `${kind}${first}` : `${kind}${first},${size}`;
  };
  return `@@ ${range('-')} ${range('+')} @@\n${lines.map((op) => `${op.kind}${op.line}\n`).join('')}`;
}
