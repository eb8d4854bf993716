import { cell, type Line, wrapped } from './cells.ts';

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

/** The line at the foot of the screen, longest first: the one that fits is shown. */
export const KEY_LINES: readonly string[] = Object.freeze([
  ' space play/pause  . step  → 1s  < > speed  ↑↓ select  p power  r reboot  b bootstrap  x isolate  : command  ? help  q quit',
  ' space play  . step  <> speed  p power  b bootstrap  x isolate  : cmd  ? help  q quit',
  ' space play . step p power b bootstrap x isolate ? help q quit',
  ' space play  p power  b bootstrap  ? help  q quit',
  ' ? help  q quit',
]);

/** The help screen; long explanations go on below themselves. */
export function helpLines(columns: number): Line[] {
  const width = KEY_BINDINGS.reduce((max, binding) => Math.max(max, binding.keys.length), 0);
  const indent = width + 6;
  const bindings = KEY_BINDINGS.flatMap(({ keys, does }): Line[] =>
    wrapped(does, columns - indent).map((text, index) => [
      cell(`   ${(index === 0 ? keys : '').padEnd(width)}   `, 'accent'),
      cell(text),
    ]),
  );
  const closing = 'Each key shows the command that does the same, so that you can type it on a real cluster.';
  return [
    [cell(' Keys', 'accent')],
    ...bindings,
    [cell('')],
    ...wrapped(closing, columns - 2).map((text): Line => [cell(` ${text}`, 'dim')]),
  ];
}
