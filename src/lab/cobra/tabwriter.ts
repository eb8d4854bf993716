/**
 * Go's text/tabwriter with minwidth 0, tabwidth 0, padding 3, spaces: cells end with a tab, the last cell of a line is
 * not padded, and a column's width is shared by consecutive lines that have it.
 */
export function tabulate(rows: readonly (readonly string[])[]): string {
  const widths: number[][] = rows.map((row) => row.slice(0, -1).map((cell) => cell.length));
  for (let column = 0; ; column++) {
    let start = 0;
    let any = false;
    while (start < rows.length) {
      if (widths[start]!.length <= column) {
        start++;
        continue;
      }
      any = true;
      let end = start;
      let width = 0;
      while (end < rows.length && widths[end]!.length > column) {
        width = Math.max(width, rows[end]![column]!.length);
        end++;
      }
      for (let line = start; line < end; line++) widths[line]![column] = width + 3;
      start = end;
    }
    if (!any) break;
  }
  return rows
    .map(
      (row, line) =>
        `${row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[line]![column]!))).join('')}\n`,
    )
    .join('');
}
