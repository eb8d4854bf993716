/** What `talosctl validate` prints and returns, from the text of the file (reference/lifecycle-api-cli.md F.4). */

import { goQuote } from '../../platform/text/quote.ts';
import { loadConfig } from '../config.ts';
import type { EnvSource } from '../env.ts';
import { formatConfigError } from '../errors.ts';
import type { TalosVersion } from '../version.ts';
import { parseMode } from './mode.ts';
import { locateFinding, validate } from './validate.ts';

export interface ValidateCommand {
  /** `--config` as given. */
  readonly file: string;
  readonly text: string;
  readonly mode: string;
  readonly strict?: boolean;
  readonly version?: TalosVersion;
  readonly env?: EnvSource;
  /**
   * Adds a line `file:line:column: path: message` per problem after the real tool's text, so that all problems and
   * their places are seen at once; false gives exactly the real output.
   */
  readonly places?: boolean;
}

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs the command; pure. */
export function runValidate(command: ValidateCommand): CommandResult {
  const places = command.places ?? true;
  const loaded = loadConfig(command.text, {
    file: command.file,
    ...(command.version === undefined ? {} : { version: command.version }),
    ...(command.env === undefined ? {} : { env: command.env }),
  });
  if ('errors' in loaded) {
    return failure([], loaded.toolError, places ? loaded.errors.map(formatConfigError) : []);
  }
  const mode = parseMode(command.mode);
  if (mode === undefined) {
    return failure([], `unknown runtime mode: ${goQuote(command.mode)}`, []);
  }
  const { config } = loaded;
  const result = validate(config, { mode, strict: command.strict ?? false });
  const warnings = result.warnings.map((warning) => warning.message);
  if (result.toolError !== undefined) {
    const lines = result.errors.map((finding) => formatConfigError(locateFinding(config, finding)));
    return failure(warnings, result.toolError, places ? lines : []);
  }
  const stdout = `${command.file} is valid for ${command.mode} mode\n`;
  return { stdout, stderr: warnings.map(warningLine).join(''), exitCode: 0 };
}

function warningLine(text: string): string {
  return `WARNING: ${text}\n`;
}

function failure(warnings: readonly string[], error: string, places: readonly string[]): CommandResult {
  const located = places.map((line) => `${line}\n`).join('');
  return { stdout: '', stderr: `${warnings.map(warningLine).join('')}${error}\n${located}`, exitCode: 1 };
}
