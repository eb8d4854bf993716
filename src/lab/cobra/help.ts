import { formatDurationUs } from '../../platform/text/duration.ts';
import { type Command, commandName } from './command.ts';
import type { FlagSpec } from './flags.ts';

const TYPE_NAMES: Readonly<Record<FlagSpec['type'], string>> = {
  string: 'string',
  bool: '',
  int: 'int',
  duration: 'duration',
  strings: 'strings',
  stringArray: 'stringArray',
};

/** The usage block that cobra appends to usage errors and prints for `--help`. */
export function usageText<R>(command: Command<R>, path: string, inherited: readonly FlagSpec[]): string {
  const own = [...(command.flags ?? []), ...(command.persistentFlags ?? [])];
  const blocks = [`Usage:\n${usageLines(command, path)}`];
  if (command.aliases !== undefined)
    blocks.push(`Aliases:\n  ${[commandName(command), ...command.aliases].join(', ')}`);
  const visible = (command.commands ?? []).filter((sub) => sub.hidden !== true);
  if (visible.length > 0)
    blocks.push(`Available Commands:\n${columns(visible.map((sub) => [`  ${commandName(sub)}`, sub.short]))}`);
  const ownText = flagLines(own);
  if (ownText !== '') blocks.push(`Flags:\n${ownText}`);
  const globalText = flagLines(inherited.filter((spec) => !own.includes(spec)));
  if (globalText !== '') blocks.push(`Global Flags:\n${globalText}`);
  if (visible.length > 0) blocks.push(`Use "${path} [command] --help" for more information about a command.`);
  return `${blocks.join('\n\n')}\n`;
}

function usageLines<R>(command: Command<R>, path: string): string {
  const lines: string[] = [];
  const rest = command.use.slice(commandName(command).length);
  if (command.run !== undefined) lines.push(`  ${path}${rest} [flags]`);
  if (command.commands !== undefined) lines.push(`  ${path} [command]`);
  return lines.join('\n');
}

function flagLines(specs: readonly FlagSpec[]): string {
  const rows = specs
    .filter((spec) => spec.hidden !== true)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((spec) => {
      const short = spec.short === undefined ? '      ' : `  -${spec.short}, `;
      const type = TYPE_NAMES[spec.type];
      return [`${short}--${spec.name}${type === '' ? '' : ` ${type}`}`, spec.usage + defaultText(spec)];
    });
  return columns(rows);
}

function defaultText(spec: FlagSpec): string {
  const value = spec.default;
  if (value === '' || value === false || value === 0) return '';
  if (typeof value === 'string') return ` (default "${value}")`;
  if (typeof value === 'object') return value.length === 0 ? '' : ` (default [${value.join(',')}])`;
  if (spec.type === 'duration') return ` (default ${formatDurationUs(value as number)})`;
  return ` (default ${String(value)})`;
}

function columns(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((max, row) => Math.max(max, row[0]!.length), 0);
  return rows.map((row) => `${row[0]!.padEnd(width)}   ${row[1]!}`.trimEnd()).join('\n');
}
