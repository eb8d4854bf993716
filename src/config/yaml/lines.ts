import type { Position } from './node.ts';

/** Turns offsets of one text into lines and columns. */
export interface LineIndex {
  readonly at: (offset: number) => Position;
}

/** Builds the index; the line table is made on the first question only, since most loads ask none. */
export function lineIndex(text: string): LineIndex {
  let starts: number[] | undefined;
  return {
    at: (offset) => {
      starts ??= lineStarts(text);
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (starts[middle]! <= offset) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      return { line: low + 1, column: offset - starts[low]! + 1 };
    },
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}
