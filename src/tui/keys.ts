import { cell, type Line } from './cells.ts';

/** What a key does; the help screen is made from the same table. */
export interface KeyBinding {
  readonly keys: string;
  readonly does: string;
}

export const KEY_BINDINGS: readonly KeyBinding[] = [
  { keys: 'space', does: 'play or pause' },
  { keys: '.', does: 'go on to the next notable event' },
  { keys: '→', does: 'go on by one second' },
  { keys: '< >', does: 'slower, faster' },
  { keys: '↑ ↓ (k j)', does: 'select a machine' },
  { keys: 'p', does: 'cut or restore the power of the selected machine' },
  { keys: 'r', does: 'reboot the selected machine: talosctl reboot' },
  { keys: 'b', does: 'talosctl bootstrap on the selected machine: once, on one control plane' },
  { keys: 'x', does: 'cut the selected machine off the network, or heal it' },
  { keys: ':', does: 'type a talosctl, etcdctl or kubectl command' },
  { keys: '?', does: 'this help' },
  { keys: 'q', does: 'quit' },
];

export function helpLines(): Line[] {
  const width = KEY_BINDINGS.reduce((max, binding) => Math.max(max, binding.keys.length), 0);
  return [
    [cell(' Keys', 'accent')],
    [cell('')],
    ...KEY_BINDINGS.map((binding): Line => [cell(`   ${binding.keys.padEnd(width)}   `, 'accent'), cell(binding.does)]),
    [cell('')],
    [cell(' Each key shows the command that does the same, so that you can type it on a real cluster.', 'dim')],
  ];
}
