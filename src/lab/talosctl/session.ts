import type { TalosconfigContext } from '../../config/generate/talosconfig.ts';
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import type { ParsedCommand } from '../cobra/command.ts';
import type { ToolContext } from '../tools/tool.ts';
import { CommandFailure, type Runner } from './run.ts';
import { readTalosconfig, type Talosconfig, talosconfigPath } from './talosconfig.ts';

type Parsed = ParsedCommand<Runner>;

/** Opens the client configuration that a command line names. */
export function openTalosconfig(parsed: Parsed, context: ToolContext): { path: string; config: Talosconfig } {
  const path = talosconfigPath(parsed.flags.text('talosconfig'), context);
  const config = readTalosconfig(context.files.readText(path), path);
  if (typeof config === 'string') throw new CommandFailure(config);
  return { path, config };
}

/** The context that a command line means. */
export function currentContext(parsed: Parsed, config: Talosconfig): { name: string; context: TalosconfigContext } {
  const name = parsed.flags.text('context') || config.context;
  const found = config.contexts[name];
  if (found === undefined) throw new CommandFailure(`context "${name}" not found in config`);
  return { name, context: found };
}

/** PEM of a talosconfig, where it stands in base64. */
export function pemOf(base64: string): string {
  const bytes = decodeBase64(base64);
  if (bytes === null) throw new CommandFailure('failed to decode certificate: illegal base64 data');
  return utf8Decode(bytes);
}
