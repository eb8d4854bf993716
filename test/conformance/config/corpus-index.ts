import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIR = join(import.meta.dirname, '../../../../shared/corpus/configs');

/** Whether the published configs are here. */
export const present = existsSync(join(DIR, 'INDEX.tsv'));

/** One published file. */
export interface Row {
  readonly file: string;
  readonly kind: string;
  readonly notes: string;
}

/** Lines of the index; none where it is absent. */
export function rows(): Row[] {
  if (!present) return [];
  const [, ...lines] = readFileSync(join(DIR, 'INDEX.tsv'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [file = '', kind = '', , , , , notes = ''] = line.split('\t');
    return { file, kind, notes };
  });
}

/** The text of a published file. */
export const read = (file: string): string => readFileSync(join(DIR, file), 'utf8');
