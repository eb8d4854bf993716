import { goQuote } from '../../platform/text/quote.ts';
import { type TabLayout, tabulateAs } from '../../platform/text/tabwriter.ts';
import { boolFlag, type FlagSpec, type FlagSpecs } from './flags.ts';
import type { Described } from './verb.ts';

/** A command, or etcdctl itself, to be told of. */
export interface Subject {
  /** `lease grant`; empty for etcdctl itself. */
  readonly name: string;
  readonly described: Described;
  /** Flags that it has from what it belongs to. */
  readonly inherited: FlagSpecs;
  /** Commands below it, by what the list calls them. */
  readonly commands: readonly (readonly [name: string, short: string])[];
}

const LAYOUT: TabLayout = Object.freeze({ padding: 1, tabWidth: 8 });

/** `3.6` of `3.6.5`. */
export function apiVersion(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** The flag that every command has. */
export function helpFlag(name: string): FlagSpec {
  return boolFlag(`help for ${name.split(' ').at(-1)!}`, false, 'h');
}

/** What etcdctl says of a command: its sections and its columns of tabs are those of the real tool. */
export function helpText(subject: Subject, version: string): string {
  const { name, described, commands, inherited } = subject;
  const path = name === '' ? 'etcdctl' : `etcdctl ${name}`;
  const own = { ...described.flags, help: helpFlag(path) };
  const sections = [
    `NAME:\n\t${name === '' ? path : name} - ${described.short}\n`,
    `USAGE:\n\t${[path, described.use, '[flags]'].filter((part) => part !== '').join(' ')}\n`,
  ];
  if (name === '') sections.push(`VERSION:\n\t${version}\n`);
  if (commands.length > 0) {
    sections.push(`API VERSION:\n\t${apiVersion(version)}\n`);
    sections.push(
      `\nCOMMANDS:\n${tabulateAs(
        LAYOUT,
        commands.map(([command, short]) => ['', command, short]),
      )}`,
    );
  }
  if (described.long !== undefined) sections.push(`DESCRIPTION:\n${described.long.replaceAll(/^/gm, '\t')}\n`);
  sections.push(`OPTIONS:\n${flagLines(own)}`);
  if (Object.keys(inherited).length > 0) sections.push(`GLOBAL OPTIONS:\n${flagLines(inherited)}`);
  return `${sections.join('\n')}\n`;
}

function flagLines(specs: FlagSpecs): string {
  const names = Object.keys(specs).toSorted();
  return tabulateAs(
    LAYOUT,
    names.map((name) => [flagText(name, specs[name]!), specs[name]!.usage]),
  );
}

function flagText(name: string, { kind, initial, short }: FlagSpec): string {
  const words = `  ${short === undefined ? '    ' : `-${short}, `}--${name}`;
  if (kind === 'bool') return `${words}[=${initial}]`;
  if (kind === 'text') return `${words}=${goQuote(initial)}`;
  return `${words}=${kind === 'list' ? `[${initial}]` : initial}`;
}
