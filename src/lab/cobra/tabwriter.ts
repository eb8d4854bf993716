import { type TabLayout, tabulateAs } from '../../platform/text/tabwriter.ts';

const LAYOUT: TabLayout = Object.freeze({ padding: 3 });

/** Columns as talosctl and kubectl lay them out: padded with spaces, three apart. */
export function tabulate(rows: readonly (readonly string[])[]): string {
  return tabulateAs(LAYOUT, rows);
}
