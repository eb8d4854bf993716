/** Errors as go-retry prints a set of them: equal ones once, each on a line of its own behind a tab. */
export function errorSet(messages: readonly string[]): string {
  const lines = [...new Set(messages)];
  return `${lines.length} error(s) occurred:\n${lines.map((line) => `\t${line}`).join('\n')}`;
}
