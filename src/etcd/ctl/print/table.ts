/** A table as the tablewriter library of etcdctl draws it: headings in capitals and centred, cells to the right. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const titles = headings.map((heading) => heading.replaceAll('_', ' ').toUpperCase());
  const widths = titles.map((title, column) => {
    let width = title.length;
    for (const row of rows) width = Math.max(width, row[column]!.length);
    return width;
  });
  const rule = `+${widths.map((width) => '-'.repeat(width + 2)).join('+')}+`;
  const lines = [rule, drawRow(titles, widths, centre), rule];
  for (const row of rows) lines.push(drawRow(row, widths, (text, width) => text.padStart(width)));
  lines.push(rule);
  return `${lines.join('\n')}\n`;
}

function drawRow(
  cells: readonly string[],
  widths: readonly number[],
  place: (text: string, width: number) => string,
): string {
  return `|${cells.map((cell, i) => ` ${place(cell, widths[i]!)} `).join('|')}|`;
}

/** The odd space goes to the right. */
function centre(text: string, width: number): string {
  const left = Math.floor((width - text.length) / 2);
  return ' '.repeat(left) + text + ' '.repeat(width - text.length - left);
}
