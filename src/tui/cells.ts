/** One run of text with a role; roles become colours only at the very end, so that nothing is told by colour alone. */
export interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'accent' | 'inverse';
export type Line = readonly Cell[];

export function cell(text: string, tone: Tone = 'plain'): Cell {
  return { text, tone };
}

export function lineText(line: Line): string {
  return line.map((part) => part.text).join('');
}

/** Cuts or pads a line to exactly `width` columns. */
export function fitLine(line: Line, width: number): Line {
  const result: Cell[] = [];
  let left = width;
  for (const part of line) {
    if (left <= 0) break;
    const text = part.text.length > left ? `${part.text.slice(0, Math.max(0, left - 1))}…` : part.text;
    result.push({ text, tone: part.tone });
    left -= text.length;
  }
  if (left > 0) result.push(cell(' '.repeat(left)));
  return result;
}

const ESCAPES: Readonly<Record<Tone, string>> = {
  plain: '',
  dim: '\u001b[2m',
  good: '\u001b[32m',
  warn: '\u001b[33m',
  bad: '\u001b[31m',
  accent: '\u001b[36m',
  inverse: '\u001b[7m',
};

/** The line as a terminal takes it. */
export function paint(line: Line, colour: boolean): string {
  if (!colour) return lineText(line);
  return line
    .map((part) => (part.tone === 'plain' ? part.text : `${ESCAPES[part.tone]}${part.text}\u001b[0m`))
    .join('');
}

/** Breaks a text at spaces into lines of at most `width` columns. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/**
 * A text as lines of at most `width` columns that keep its spaces, all but the first moved in by `indent`. It is broken at
 * spaces, and inside what is longer than a line.
 */
export function folded(text: string, width: number, indent: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const inside = rest.slice(0, Math.max(0, space)).trim() !== '';
    lines.push(rest.slice(0, inside ? space : width));
    rest = `${' '.repeat(Math.min(indent, width - 1))}${rest.slice(inside ? space : width).trimStart()}`;
  }
  return [...lines, rest];
}
