import { formatDurationUs } from '../../platform/text/duration.ts';
import { type Command, commandName, helpFlag } from './command.ts';
import type { FlagSpec } from './flags.ts';
import { parseCommand } from './parse.ts';

const TYPE_NAMES: Readonly<Record<FlagSpec['type'], string>> = {
  string: 'string',
  bool: '',
  int: 'int',
  duration: 'duration',
  strings: 'strings',
  stringArray: 'stringArray',
};

/** What `--help` prints. */
export function helpText<R>(command: Command<R>, path: string, specs: readonly FlagSpec[]): string {
  return `${command.short}\n\n${usageText(command, path, specs)}`;
}

/** What `help` and `help COMMAND` print; undefined for any other line. */
export function helpCommand<R>(
  root: Command<R>,
  words: readonly string[],
): { readonly text: string; readonly isKnown: boolean } | undefined {
  if (words[0] !== 'help') return undefined;
  const topic = words.slice(1).filter((word) => !word.startsWith('-'));
  const result = parseCommand(root, [...topic, '--help']);
  const { command, path, specs } = result.error === undefined ? result.parsed : result;
  if (topic.length === 0 || command !== root) return { text: helpText(command, path, specs), isKnown: true };
  const list = topic.map((word) => `\`${word}\``).join(' ');
  return { text: `Unknown help topic [${list}]\n${usageText(root, path, specs)}`, isKnown: false };
}

/** The usage block that cobra appends to usage errors and prints for `--help`; `specs` are all flags that it takes. */
export function usageText<R>(command: Command<R>, path: string, specs: readonly FlagSpec[]): string {
  const own = [...(command.flags ?? []), ...(command.persistentFlags ?? []), helpFlag(command)];
  const isRoot = !path.includes(' ');
  const blocks = [`Usage:\n${usageLines(command, path)}`];
  if (command.aliases !== undefined)
    blocks.push(`Aliases:\n  ${[commandName(command), ...command.aliases].join(', ')}`);
  const visible = (command.commands ?? [])
    .filter((sub) => sub.hidden !== true)
    .map((sub) => [commandName(sub), sub.short]);
  if (isRoot) visible.push(['help', 'Help about any command']);
  if (visible.length > 0) {
    visible.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
    blocks.push(`Available Commands:\n${columns(visible.map(([name, short]) => [`  ${name}`, short!]))}`);
  }
  blocks.push(`Flags:\n${flagLines(own)}`);
  const ownNames = new Set(own.map(({ name }) => name));
  const globalText = flagLines(specs.filter(({ name }) => !ownNames.has(name)));
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
