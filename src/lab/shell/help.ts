import { FAULT_KINDS, type FaultKind, OUTSIDE_SERVICES } from '../../world/fault.ts';
import { SHELL_BUILTINS } from '../tools/shell.ts';
import { faultForm } from './fault-words.ts';

interface Explained {
  /** How it is typed. */
  readonly line: string;
  readonly does: string;
}

/** What the interactive shell itself takes, besides programs and faults. */
export const SHELL_COMMANDS = Object.freeze({
  advance: { line: 'advance 30s', does: 'let time pass' },
  status: { line: 'status', does: 'show the machines' },
  quorum: { line: 'quorum', does: 'what the number of etcd members means, and of those that are well' },
  lint: { line: 'lint', does: 'what a reviewer would say of your configs and of your talosconfig' },
  violations: { line: 'violations', does: 'guarantees that were broken so far' },
  run: { line: 'run', does: 'run the steps of the scenario' },
  help: { line: 'help', does: 'this list' },
  quit: { line: 'quit', does: 'end the session' },
}) satisfies Readonly<Record<string, Explained>>;

export type ShellCommand = keyof typeof SHELL_COMMANDS;

/** What the forms of faults do not say by themselves. */
const NOTES: Partial<Readonly<Record<FaultKind, string>>> = {
  partition: 'from, to',
  delay: 'what it sends comes later',
  loss: 'percent of what it sends',
  'clock-drift': 'parts per million',
  'alter-etcd': 'another value of a key on this member only',
  'service-down': OUTSIDE_SERVICES.join(', '),
  'dns-record': 'what a name has from now on; without addresses nobody knows it',
  heal: 'ends every fault',
};

const WIDTH = 35;

/** Everything that may be typed, given the names of the programs. */
export function shellHelp(tools: readonly string[]): string {
  const programs = [...tools.map((tool) => `${tool} …`), ...Object.values(SHELL_BUILTINS)];
  return [
    "Commands of the operator's workstation:",
    `  ${programs.join(', ')}`,
    'Time and machines:',
    ...Object.values(SHELL_COMMANDS).map(explained),
    'Faults (docs/scenarios.md):',
    ...faultLines(),
    '',
  ].join('\n');
}

/** One line for all faults that are typed alike. */
function faultLines(): string[] {
  const forms = new Map<string, FaultKind[]>();
  for (const kind of FAULT_KINDS) forms.set(faultForm(kind), [...(forms.get(faultForm(kind)) ?? []), kind]);
  return [...forms].map(([form, [first, ...others]]) => {
    const notes = [others.length === 0 ? '' : `also ${others.join(', ')}`, NOTES[first!] ?? ''];
    return explained({ line: `${first} ${form}`.trim(), does: notes.filter((note) => note !== '').join('; ') });
  });
}

function explained({ line, does }: Explained): string {
  return `  ${line.padEnd(WIDTH)}${line.length >= WIDTH ? ' ' : ''}${does}`.trimEnd();
}
