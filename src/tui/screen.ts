import { clockText } from '../lab/view/clock-text.ts';
import { quorumOfCluster } from '../lab/view/quorum.ts';
import type { EtcdClusterView, MachineView } from '../lab/view/types.ts';
import { type Cell, cell, fitLine, type Line, type Tone } from './cells.ts';
import { helpLines } from './keys.ts';
import type { ScreenModel, ScreenSize } from './model.ts';

/** Draws the whole screen: at most `rows - 1` lines, since a full frame makes the terminal flicker. */
export function drawScreen(model: ScreenModel, size: ScreenSize): Line[] {
  const height = Math.max(4, size.rows - 1);
  const head = [titleLine(model), summaryLine(model), sentenceLine(model)];
  const foot = [promptLine(model), keyLine()];
  const middle = model.help ? helpLines() : [...machineTable(model), cell0(''), ...logLines(model)];
  const room = height - head.length - foot.length;
  const body = model.help ? middle.slice(0, room) : clipBody(model, room);
  return [...head, ...body, ...filler(room - body.length), ...foot].map((line) => fitLine(line, size.columns));
}

function cell0(text: string): Line {
  return [cell(text)];
}

function filler(count: number): Line[] {
  return Array.from({ length: Math.max(0, count) }, () => cell0(''));
}

/** The table stays; the log takes what is left, newest lines last. */
function clipBody(model: ScreenModel, room: number): Line[] {
  const table = machineTable(model).slice(0, Math.max(0, room));
  const left = room - table.length - 1;
  if (left <= 0) return table;
  return [...table, cell0(''), ...logLines(model).slice(-left)];
}

function titleLine(model: ScreenModel): Line {
  const state = model.playing ? cell(`▶ ${speedText(model.speed)}`, 'good') : cell('⏸ paused', 'warn');
  return [
    cell(' talosim ', 'inverse'),
    cell(` ${model.title}  `),
    cell(`t=${clockText(model.nowUs)}  `, 'accent'),
    state,
    cell(`  seed ${model.seed}`, 'dim'),
  ];
}

function speedText(speed: number): string {
  return speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`;
}

function summaryLine(model: ScreenModel): Line {
  const { etcd, vip, kubernetes } = model.view;
  const parts: Cell[] = [cell(' etcd ')];
  if (etcd.clusters.length === 0) parts.push(cell('not born', 'dim'));
  for (const [index, cluster] of etcd.clusters.entries())
    parts.push(cell(index === 0 ? '' : ' | '), ...clusterCells(cluster));
  if (etcd.clusters.length > 1) parts.push(cell(' ⚠ SPLIT BRAIN', 'bad'));
  const writable =
    etcd.clusters.length === 0 ? cell('') : etcd.writable ? cell(' writable', 'good') : cell(' no quorum', 'bad');
  const ready = kubernetes.nodes.filter((node) => node.ready).length;
  parts.push(
    writable,
    cell(
      `   VIP ${vip === undefined || vip.owners.length === 0 ? '—' : vip.owners.join('+')}`,
      (vip?.owners.length ?? 0) > 1 ? 'bad' : 'plain',
    ),
  );
  parts.push(cell(`   nodes ${ready}/${kubernetes.nodes.length} Ready`));
  return parts;
}

function clusterCells(cluster: EtcdClusterView): Cell[] {
  const { members, needed, healthy, available } = quorumOfCluster(cluster);
  const leader = cluster.members.find((member) => member.id === cluster.leader)?.name;
  const leaderText = leader === undefined ? 'no leader' : `★ ${leader}`;
  return [
    cell(`${cluster.birth.machine}: `),
    cell(`${healthy}/${members} voters, quorum ${needed}`, available ? 'good' : 'bad'),
    cell(`, ${leaderText}, term ${cluster.term}`),
  ];
}

/** What the state of etcd means, in a sentence. */
function sentenceLine(model: ScreenModel): Line {
  const [cluster] = model.view.etcd.clusters;
  if (cluster === undefined) return cell0('');
  const { available, sentence } = quorumOfCluster(cluster);
  return [cell(` ${sentence}`, available ? 'dim' : 'bad')];
}

const COLUMNS: readonly {
  readonly head: string;
  readonly width: number;
  readonly of: (machine: MachineView, model: ScreenModel) => string;
}[] = [
  { head: 'MACHINE', width: 11, of: (machine) => machine.name },
  { head: 'STAGE', width: 13, of: (machine) => (machine.power === 'off' ? '✕ off' : machine.stage) },
  { head: 'DISK', width: 12, of: (machine) => machine.disk },
  { head: 'CONFIG', width: 14, of: (machine) => machine.config },
  { head: 'ETCD', width: 20, of: (machine) => machine.etcd },
  { head: 'CONTROL PLANE', width: 15, of: (machine) => machine.controlPlane },
  { head: 'KUBELET', width: 10, of: (machine) => machine.kubelet },
  { head: 'NODE', width: 10, of: nodeText },
];

function nodeText(machine: MachineView, model: ScreenModel): string {
  const node = model.view.kubernetes.nodes.find((candidate) => candidate.name === machine.name);
  return node === undefined ? '—' : node.ready ? 'Ready' : 'NotReady';
}

function machineTable(model: ScreenModel): Line[] {
  const head: Line = [cell('  '), ...COLUMNS.map((column) => cell(column.head.padEnd(column.width), 'dim'))];
  const rows = model.view.machines.map((machine, index) => {
    const marker = index === model.selected ? cell('❯ ', 'accent') : cell('  ');
    return [marker, ...COLUMNS.map((column) => tableCell(column.of(machine, model), column.width))];
  });
  return [head, ...rows];
}

function tableCell(text: string, width: number): Cell {
  const cut = text.length >= width ? `${text.slice(0, width - 2)}… ` : text.padEnd(width);
  return cell(cut, toneOf(text));
}

function toneOf(text: string): Tone {
  if (/^(✕|off|failed|NotReady|unhealthy)/i.test(text)) return 'bad';
  if (/^(★|leader|follower|running|Ready|healthy)/.test(text)) return 'good';
  if (/^—/.test(text)) return 'dim';
  if (/(learner|waiting|installing|rebooting|booting|maintenance)/.test(text)) return 'warn';
  return 'plain';
}

function logLines(model: ScreenModel): Line[] {
  return model.log.map((line) => [cell(' '), cell(line)]);
}

function promptLine(model: ScreenModel): Line {
  if (model.prompt !== undefined) return [cell(' $ ', 'accent'), cell(model.prompt), cell('▏')];
  return [cell(model.echo === '' ? '' : ` ${model.echo}`, 'dim')];
}

function keyLine(): Line {
  return [
    cell(
      ' space play/pause  . step  < > speed  ↑↓ select  p power  b bootstrap  x isolate  : command  ? help  q quit ',
      'inverse',
    ),
  ];
}
