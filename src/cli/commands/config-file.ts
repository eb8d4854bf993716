import { existsSync, readFileSync, statSync } from 'node:fs';
import { type Config, loadConfig } from '../../config/config.ts';
import { formatConfigError } from '../../config/errors.ts';
import { DEFAULT_VERSION, KNOWN_RELEASES, parseVersion, type TalosVersion } from '../../config/version.ts';
import { BadInput } from '../../runner/bad-input.ts';
import { readEnvFiles } from '../offline/env-file.ts';
import { diskFiles } from '../offline/files.ts';

export interface ConfigFileFlags {
  readonly envFile?: readonly string[];
  readonly talosVersion?: string;
}

/** Loads a config that a person names; every problem at once, each with its place. Throws BadInput. */
export function openConfig(file: string, flags: ConfigFileFlags): Config {
  if (!existsSync(file)) throw new BadInput(`${file}: no such file`);
  if (!statSync(file).isFile()) throw new BadInput(`${file}: not a file`);
  const env = readEnvFiles(flags.envFile ?? [], diskFiles);
  const loaded = loadConfig(readFileSync(file, 'utf8'), {
    file,
    version: versionOf(flags.talosVersion),
    ...(env !== undefined && { env }),
  });
  if ('errors' in loaded) throw new BadInput(loaded.errors.map(formatConfigError).join('\n'));
  return loaded.config;
}

function versionOf(text: string | undefined): TalosVersion {
  if (text === undefined) return DEFAULT_VERSION;
  const version = parseVersion(text);
  if (version === undefined)
    throw new BadInput(`--talos-version ${text}: write a release such as v1.11.3; ${KNOWN_RELEASES} are known`);
  return version;
}

/** Collects a repeatable option. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
