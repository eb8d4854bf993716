/** How Go's text/tabwriter was set up, with minwidth 0. */
export interface TabLayout {
  /** What a cell is wider than its text at least. */
  readonly padding: number;
  /** Pads with tabs that stand this far apart; with spaces when left out. */
  readonly tabWidth?: number;
}

/**
 * Go's text/tabwriter: cells end with a tab, the last cell of a line is not padded, and a column's width is shared by
 * consecutive lines that have it.
 */
export function tabulateAs({ padding, tabWidth }: TabLayout, rows: readonly (readonly string[])[]): string {
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
      for (let line = start; line < end; line++) widths[line]![column] = width + padding;
      start = end;
    }
    if (!any) break;
  }
  const padded = (cell: string, width: number): string =>
    tabWidth === undefined ? cell.padEnd(width) : withTabs(cell, width, tabWidth);
  return rows
    .map(
      (row, line) =>
        `${row.map((cell, column) => (column === row.length - 1 ? cell : padded(cell, widths[line]![column]!))).join('')}\n`,
    )
    .join('');
}

function withTabs(cell: string, width: number, tabWidth: number): string {
  const end = Math.ceil(width / tabWidth) * tabWidth;
  return cell + '\t'.repeat(Math.ceil((end - cell.length) / tabWidth));
}
