/** Splits a command line as a POSIX shell does, without expansions. */
export type Words =
  | { readonly words: readonly string[]; readonly error?: undefined }
  | { readonly words?: undefined; readonly error: string };

/** As a word: what follows is read by the command as its input, as bash's here-strings are. */
export const HERE_STRING = '<<<';

/**
 * Quotes (' and ", and $'…' with its escapes), backslashes, comments and `<<<` are understood; `${NAME}` stands for a
 * variable until {@link expand} puts its value in its place. Pipes, other redirections and globs are refused by name.
 */
export function splitWords(line: string): Words {
  const words: string[] = [];
  let word: string | undefined;
  let i = 0;
  while (i < line.length) {
    const c = line[i]!;
    if (c === ' ' || c === '\t' || c === '\n' || c === '\r') {
      if (word !== undefined) words.push(word);
      word = undefined;
      i++;
    } else if (c === '#' && word === undefined) {
      break;
    } else if (c === "'" || c === '"') {
      const quoted = readQuoted(line, i);
      if (quoted === undefined) return { error: `the quote opened at column ${i + 1} is never closed` };
      word = (word ?? '') + quoted.text;
      i = quoted.end;
    } else if (VARIABLE.test(line.slice(i))) {
      const [text] = VARIABLE.exec(line.slice(i))!;
      word = (word ?? '') + text;
      i += text.length;
    } else if (line.startsWith("$'", i)) {
      const quoted = readEscaped(line, i + 1);
      if (quoted === undefined) return { error: `the quote opened at column ${i + 2} is never closed` };
      word = (word ?? '') + quoted.text;
      i = quoted.end;
    } else if (line.startsWith(HERE_STRING, i)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      words.push(HERE_STRING);
      i += HERE_STRING.length;
    } else if (c === '\\') {
      if (i + 1 >= line.length) return { error: 'the line ends with a backslash' };
      if (line[i + 1] !== '\n') word = (word ?? '') + line[i + 1];
      i += 2;
    } else if ('|&;<>`$()'.includes(c)) {
      return {
        error: `"${c}" at column ${i + 1} is shell syntax that is not simulated; write one plain command, or quote it`,
      };
    } else {
      word = (word ?? '') + c;
      i++;
    }
  }
  if (word !== undefined) words.push(word);
  return { words };
}

function readQuoted(line: string, start: number): { text: string; end: number } | undefined {
  const quote = line[start]!;
  let text = '';
  for (let i = start + 1; i < line.length; i++) {
    const c = line[i]!;
    if (c === quote) return { text, end: i + 1 };
    if (c === '\\' && quote === '"' && '"\\$`'.includes(line[i + 1] ?? ' ')) {
      text += line[i + 1];
      i++;
    } else text += c;
  }
  return undefined;
}

const VARIABLE = /^\$\{[A-Z_][A-Z0-9_]*\}/;
const VARIABLES = /\$\{([A-Z_][A-Z0-9_]*)\}/g;

/** Puts variables' values into words; one that is not set is empty, as in a shell. */
export function expand(words: readonly string[], env: ReadonlyMap<string, string>): readonly string[] {
  return words.map((word) => word.replace(VARIABLES, (_all, name: string) => env.get(name) ?? ''));
}

const ESCAPES: Readonly<Record<string, string>> = Object.freeze({ n: '\n', t: '\t', '\\': '\\', "'": "'", '"': '"' });

/** The text of `$'…'` from its quote on. */
function readEscaped(line: string, start: number): { text: string; end: number } | undefined {
  let text = '';
  for (let i = start + 1; i < line.length; i++) {
    const c = line[i]!;
    if (c === "'") return { text, end: i + 1 };
    const escaped = c === '\\' ? ESCAPES[line[i + 1] ?? ''] : undefined;
    text += escaped ?? c;
    if (escaped !== undefined) i++;
  }
  return undefined;
}

/** The words of a command without its input, and the input; a complaint when it is not written well. */
export function splitInput(
  words: readonly string[],
): { readonly words: readonly string[]; readonly stdin: string } | string {
  const at = words.indexOf(HERE_STRING);
  if (at < 0) return { words, stdin: '' };
  const text = words[at + 1];
  if (text === undefined) return `"${HERE_STRING}" needs the text that is to be read`;
  return { words: [...words.slice(0, at), ...words.slice(at + 2)], stdin: `${text}\n` };
}
