/** Splits a command line as a POSIX shell does, without expansions. */
export type Words =
  | { readonly words: readonly string[]; readonly error?: undefined }
  | { readonly words?: undefined; readonly error: string };

/** Quotes (' and "), backslashes and comments are understood; pipes, redirections, variables and globs are refused by name. */
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
