/** The last lines that a command said, in one: without the usage text that follows some errors. */
export function lastLines(text: string, count = 3): string {
  const [said = ''] = text.split('\n\nUsage:\n', 1);
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(-count).join(' / ');
}
