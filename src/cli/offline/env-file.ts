import { type EnvSource, fillPlaceholders, parseEnvFile } from '../../config/env.ts';
import { formatConfigError } from '../../config/errors.ts';
import { type FlagSpec, flag } from '../../lab/cobra/flags.ts';
import type { Files } from '../../lab/tools/workspace.ts';
import { BadInput } from '../../runner/bad-input.ts';

/**
 * `-e`, `--env-file`: not of talosctl, whose users fill placeholders with other tools first. Node.js looks for the long name in
 * the whole command line before any of our code runs, and ends with 9 when that file is not there: only the short one is
 * ours from the start.
 */
export const envFileFlag: FlagSpec = flag(
  'env-file',
  'strings',
  [],
  'fill placeholders of the files that are read from these NAME=value files',
  { short: 'e' },
);

/** Values of several files, later ones first. Throws BadInput when one cannot be read. */
export function readEnvFiles(paths: readonly string[], files: Files): EnvSource | undefined {
  if (paths.length === 0) return undefined;
  const values: Record<string, string> = {};
  for (const path of paths) {
    const text = files.readText(path);
    if (text === undefined) throw new BadInput(`talosim: --env-file ${path}: no such file`);
    Object.assign(values, parseEnvFile(text));
  }
  return values;
}

/** The same files with their placeholders filled. Reading one that names a value nobody gave throws BadInput. */
export function withPlaceholdersFilled(files: Files, env: EnvSource): Files {
  return {
    ...files,
    readText(path) {
      const text = files.readText(path);
      if (text === undefined) return undefined;
      const filled = fillPlaceholders(text, path, env);
      if (filled.errors.length > 0) throw new BadInput(filled.errors.map(formatConfigError).join('\n'));
      return filled.text;
    },
  };
}
