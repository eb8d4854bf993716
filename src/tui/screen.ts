import { clockText } from '../lab/view/clock-text.ts';
import { nodeText } from '../lab/view/node-text.ts';
import { quorumOfCluster } from '../lab/view/quorum.ts';
import type { EtcdClusterView, MachineView } from '../lab/view/types.ts';
import { type Cell, cell, fitLine, folded, type Line, lineText, type Tone, wrapped } from './cells.ts';
import { helpLines, KEY_LINES } from './keys.ts';
import type { ScreenModel, ScreenSize } from './model.ts';

/** Draws the whole screen: at most `rows - 1` lines, since a full frame makes the terminal flicker. */
export function drawScreen(model: ScreenModel, size: ScreenSize): Line[] {
  const { columns } = size;
  const height = Math.max(4, size.rows - 1);
  const foot = [promptLine(model, columns), keyLine(columns)];
  const top = [titleLine(model, columns), summaryLine(model)];
  const sentence = sentenceLines(model, columns);
  // On a low screen the machines are worth more than what the state of etcd means.
  const fits = height - top.length - sentence.length - foot.length > model.view.machines.length;
  const head = fits || model.help !== undefined ? [...top, ...sentence] : top;
  const room = Math.max(0, height - head.length - foot.length);
  const body = model.help === undefined ? clipBody(model, room, columns) : clipHelp(model.help, room, columns);
  return [...head, ...body, ...filler(room - body.length), ...foot]
    .slice(-height)
    .map((line) => fitLine(line, columns));
}

function cell0(text: string): Line {
  return [cell(text)];
}

function filler(count: number): Line[] {
  return Array.from({ length: Math.max(0, count) }, () => cell0(''));
}

/** The help from a line on; where it does not fit, the last row says so. */
function clipHelp(from: number, room: number, columns: number): Line[] {
  const lines = helpLines(columns);
  const start = Math.max(0, Math.min(from, lines.length - room));
  if (start + room >= lines.length || room < 2) return lines.slice(start, start + room);
  return [...lines.slice(start, start + room - 1), [cell(' ↓ more: ↓ or j', 'dim')]];
}

/** The table stays, with the selected machine in sight; the log takes what is left, newest lines last. */
function clipBody(model: ScreenModel, room: number, columns: number): Line[] {
  const [head, ...rows] = machineTable(model, columns);
  if (head === undefined || room < 2) return rows.slice(model.selected).slice(0, room);
  const start = Math.max(0, Math.min(model.selected + 2 - room, rows.length));
  const table = [head, ...rows.slice(start)].slice(0, room);
  const left = room - table.length - 1;
  if (left <= 0) return table;
  return [...table, cell0(''), ...logLines(model, left, columns)];
}

/** The first of these that fits: whether time runs is always in sight. */
function titleLine(model: ScreenModel, columns: number): Line {
  const state = model.playing ? cell(`▶ ${speedText(model.speed)}`, 'good') : cell('⏸ paused', 'warn');
  const brand = cell(' talosim ', 'inverse');
  const title = cell(` ${model.title}  `);
  const time = cell(`t=${clockText(model.nowUs)}  `, 'accent');
  const forms: readonly Line[] = [
    [brand, title, time, state, cell(`  seed ${model.seed}`, 'dim')],
    [brand, title, time, state],
    [title, time, state],
    [cell(' '), time, state],
  ];
  return forms.find((form) => lineText(form).length <= columns) ?? [state, cell(' '), time];
}

function speedText(speed: number): string {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

function summaryLine(model: ScreenModel): Line {
  const { etcd, vip, kubernetes } = model.view;
  const parts: Cell[] = [cell(' etcd ')];
  if (etcd.clusters.length > 1) parts.push(cell('⚠ SPLIT BRAIN ', 'bad'));
  if (etcd.clusters.length === 0) parts.push(cell('not born', 'dim'));
  for (const [index, cluster] of etcd.clusters.entries()) {
    if (index > 0) parts.push(cell(' | '));
    if (etcd.clusters.length > 1) parts.push(cell(`${cluster.birth.machine}: `));
    parts.push(...clusterCells(cluster));
  }
  const owners = vip?.owners ?? [];
  const ready = kubernetes.nodes.filter((node) => node.ready).length;
  parts.push(cell(`  VIP ${owners.length === 0 ? '—' : owners.join('+')}`, owners.length > 1 ? 'bad' : 'plain'));
  parts.push(cell(`  Nodes ${ready}/${kubernetes.nodes.length}`));
  return parts;
}

function clusterCells(cluster: EtcdClusterView): Cell[] {
  const { members, needed, healthy, available } = quorumOfCluster(cluster);
  const leader = cluster.members.find((member) => member.id === cluster.leader)?.name;
  return [
    cell(`${healthy}/${members} voters, quorum ${needed}`, available ? 'good' : 'bad'),
    leader === undefined ? cell(' no leader', 'bad') : cell(` ★ ${leader} t${cluster.term}`),
  ];
}

/** What the state of etcd means, in a sentence. */
function sentenceLines(model: ScreenModel, columns: number): Line[] {
  const [cluster] = model.view.etcd.clusters;
  if (cluster === undefined) return [cell0('')];
  const { available, sentence } = quorumOfCluster(cluster);
  return wrapped(sentence, columns - 2).map((text) => [cell(` ${text}`, available ? 'dim' : 'bad')]);
}

interface Column {
  readonly head: string;
  readonly most: number;
  /** Columns of low rank give way first when the screen is narrow. */
  readonly rank: number;
  readonly of: (machine: MachineView, model: ScreenModel) => string;
}

const COLUMNS: readonly Column[] = [
  { head: 'MACHINE', most: 16, rank: 9, of: (machine) => machine.name },
  { head: 'STAGE', most: 13, rank: 8, of: (machine) => (machine.power === 'off' ? '✕ off' : machine.stage) },
  { head: 'DISK', most: 17, rank: 1, of: (machine) => machine.disk },
  { head: 'CONFIG', most: 12, rank: 2, of: (machine) => machine.config },
  { head: 'ETCD', most: 20, rank: 7, of: (machine) => machine.etcd },
  { head: 'CONTROL PLANE', most: 13, rank: 5, of: (machine) => machine.controlPlane },
  { head: 'KUBELET', most: 11, rank: 4, of: (machine) => machine.kubelet },
  { head: 'NODE', most: 8, rank: 6, of: (machine, model) => nodeText(model.view, machine) },
];
const MARKER_WIDTH = 2;
const PROMPT = ' $ ';
const GAP = 2;
const LOG_INDENT = 4;

/** Columns as wide as what stands in them; what does not fit is left out, the least telling first. */
function machineTable(model: ScreenModel, columns: number): Line[] {
  const { machines } = model.view;
  const sized = COLUMNS.map((column) => {
    const longest = machines.reduce((most, machine) => Math.max(most, column.of(machine, model).length), 0);
    return { column, width: Math.min(column.most, Math.max(column.head.length, longest)) };
  });
  while (tableWidth(sized) > columns && sized.length > 1) {
    const least = sized.reduce((low, one) => (one.column.rank < low.column.rank ? one : low));
    sized.splice(sized.indexOf(least), 1);
  }
  const head: Line = [
    cell(' '.repeat(MARKER_WIDTH)),
    ...sized.map(({ column, width }, at) => cell(padded(column.head, width, at), 'dim')),
  ];
  const rows = machines.map((machine, index) => {
    const marker = index === model.selected ? cell('❯ ', 'accent') : cell(' '.repeat(MARKER_WIDTH));
    return [marker, ...sized.map(({ column, width }, at) => tableCell(column.of(machine, model), width, at))];
  });
  return [head, ...rows];
}

function tableWidth(sized: readonly { readonly width: number }[]): number {
  return sized.reduce((sum, { width }) => sum + width + GAP, MARKER_WIDTH - GAP);
}

function tableCell(text: string, width: number, at: number): Cell {
  const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return cell(padded(cut, width, at), toneOf(text));
}

/** The gap stands before every column but the first, so that the last one may end at the edge. */
function padded(text: string, width: number, at: number): string {
  return `${' '.repeat(at === 0 ? 0 : GAP)}${text.padEnd(width)}`;
}

function toneOf(text: string): Tone {
  if (/^(✕|off|failed|NotReady|unhealthy|no leader)/i.test(text)) return 'bad';
  if (/^(★|leader|follower|running|Ready|healthy)/.test(text)) return 'good';
  if (/^—/.test(text)) return 'dim';
  if (/(learner|waiting|installing|rebooting|booting|maintenance)/.test(text)) return 'warn';
  return 'plain';
}

/** The end of the log. A line that is too long goes on below, further in. */
function logLines(model: ScreenModel, room: number, columns: number): Line[] {
  const lines = model.log.slice(-room).flatMap((line) => folded(line, Math.max(1, columns - 1), LOG_INDENT));
  return lines.slice(-room).map((text) => [cell(' '), cell(text)]);
}

/** The prompt with its end in sight, where one types. */
function promptLine(model: ScreenModel, columns: number): Line {
  if (model.prompt !== undefined) {
    const room = Math.max(1, columns - PROMPT.length - 1);
    const cut = model.prompt.length > room;
    return [cell(PROMPT, 'accent'), cell(cut ? `…${model.prompt.slice(1 - room)}` : model.prompt), cell('▏')];
  }
  return [cell(model.echo === '' ? '' : ` ${model.echo}`, 'dim')];
}

function keyLine(columns: number): Line {
  const fitting = KEY_LINES.find((line) => line.length <= columns) ?? KEY_LINES.at(-1)!;
  return [cell(fitting.padEnd(columns), 'inverse')];
}
