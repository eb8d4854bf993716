import { describe, expect, it } from 'vitest';
import { clockText } from '../../src/lab/view/clock-text.ts';
import type { MachineView } from '../../src/lab/view/types.ts';
import { lineText, paint } from '../../src/tui/cells.ts';
import { KEY_BINDINGS } from '../../src/tui/keys.ts';
import type { ScreenModel } from '../../src/tui/model.ts';
import { drawScreen } from '../../src/tui/screen.ts';

function machine(name: string, more: Partial<MachineView> = {}): MachineView {
  return {
    name,
    node: name,
    power: 'on',
    stage: 'running',
    disk: 'v1.11.3',
    config: 'controlplane',
    etcd: 'follower t2',
    controlPlane: 'running',
    kubelet: 'running',
    ...more,
  };
}

const member = (name: string, id: string, healthy = true) => ({ name, id, learner: false, healthy });
const MODEL: ScreenModel = {
  title: 'Three control planes, two workers',
  seed: 7,
  nowUs: 3_723_456_789,
  playing: true,
  speed: 10,
  view: {
    etcd: {
      clusters: [
        {
          birth: { machine: 'cp-1', atUs: 1, how: 'bootstrap' },
          id: 'a',
          leader: '1',
          term: 2,
          revision: 9,
          members: [member('cp-1', '1'), member('cp-2', '2'), member('cp-3', '3', false)],
        },
      ],
      quorum: 2,
      writable: true,
    },
    kubernetes: {
      nodes: [
        { name: 'cp-1', ready: true },
        { name: 'cp-2', ready: false },
      ],
    },
    vip: { address: '10.0.0.5', owners: ['cp-1'] },
    machines: [machine('cp-1', { etcd: '★ leader t2' }), machine('cp-2'), machine('cp-3', { power: 'off' })],
  },
  log: Array.from({ length: 40 }, (_, i) => `event ${i}`),
  selected: 1,
  help: undefined,
  prompt: undefined,
  echo: 'talosctl bootstrap -n 10.0.0.10',
};

function texts(model: ScreenModel, columns = 110, rows = 24): string[] {
  return drawScreen(model, { columns, rows }).map(lineText);
}

describe('screen', () => {
  it.each([
    [80, 24],
    [120, 40],
    [60, 20],
    [40, 10],
  ])('fills exactly %i columns and stays below %i rows', (columns, rows) => {
    for (const model of [MODEL, { ...MODEL, help: 0 }]) {
      const lines = texts(model, columns, rows);
      expect(lines.length).toBe(rows - 1);
      expect(lines.every((line) => line.length === columns)).toBe(true);
    }
  });

  it('a long line of the log goes on below, and its end is there', () => {
    const error = `error applying new configuration: ${'rpc error: code = InvalidArgument desc = x; '.repeat(4)}THE-END`;
    for (const [columns, rows] of [
      [60, 20],
      [40, 24],
    ] as const) {
      const lines = texts({ ...MODEL, log: [...MODEL.log, error, 'y'.repeat(90)] }, columns, rows).map((line) =>
        line.trimEnd(),
      );
      const from = lines.findIndex((line) => line.startsWith(' error applying'));
      const shown = lines.slice(from, -2).join(' ').replaceAll(/ +/g, ' ');
      expect(shown).toContain(error);
      expect(shown.replaceAll(' ', '')).toContain('y'.repeat(90));
      expect(shown).not.toContain('…');
    }
  });

  it('shows time, quorum, leader, owner of the address and every machine', () => {
    const screen = texts(MODEL).join('\n');
    expect(screen).toContain('t=1:02:03.456');
    expect(screen).toContain('etcd 2/3 voters, quorum 2 ★ cp-1 t2  VIP cp-1  Nodes 1/2');
    expect(screen).toMatch(/❯ cp-2 .*NotReady/);
    expect(screen).toMatch(/cp-3 +✕ off/);
    expect(screen).toContain('event 39');
  });

  it('cries out when there are two etcd clusters', () => {
    const first = MODEL.view.etcd.clusters[0]!;
    const second = { ...first, birth: { machine: 'cp-2', atUs: 2, how: 'bootstrap' }, id: 'b' };
    const view = { ...MODEL.view, etcd: { ...MODEL.view.etcd, clusters: [first, second] } };
    expect(texts({ ...MODEL, view }, 160).join('\n')).toContain('SPLIT BRAIN');
  });

  it('leaves out on a narrow screen what tells least, and keeps how to leave', () => {
    for (const [columns, missing] of [
      [80, ['DISK']],
      [60, ['DISK', 'CONFIG', 'KUBELET']],
    ] as const) {
      const screen = texts(MODEL, columns);
      const table = screen.findIndex((line) => line.includes('MACHINE'));
      expect(screen[table]).toMatch(/MACHINE +STAGE +.*ETCD +.*NODE/);
      for (const head of missing) expect(screen[table]).not.toContain(head);
      expect(screen.slice(0, table + 4).join('')).not.toContain('…');
      expect(screen.at(-1)).toMatch(/\? help {2}q quit|\? help q quit/);
      expect(texts({ ...MODEL, help: 0 }, columns).join('\n')).not.toContain('…');
    }
    expect(texts(MODEL, 120).join('\n')).toMatch(/DISK +CONFIG/);
  });

  it('shows on a small screen whether time runs, the selected machine, the end of the prompt and how to leave', () => {
    for (const [columns, rows] of [
      [60, 20],
      [40, 10],
      [24, 6],
    ] as const) {
      expect(texts({ ...MODEL, selected: 2 }, columns, rows).join('\n')).toMatch(
        /▶ 10×[\s\S]*❯ cp-3[\s\S]*\? help {2}q quit/,
      );
      const prompt = `talosctl ${'x'.repeat(80)} end`;
      expect(texts({ ...MODEL, prompt }, columns, rows).join('\n')).toMatch(/ \$ ….* end▏/);
    }
  });

  it('the help goes on where the screen ends, to its last line', () => {
    const first = texts({ ...MODEL, help: 0 }, 60, 12).join('\n');
    expect(first).toContain('play or pause');
    expect(first).toContain('↓ more');
    const last = texts({ ...MODEL, help: KEY_BINDINGS.length * 2 }, 60, 12).join('\n');
    expect(last).toContain('a real cluster.');
    expect(last).not.toContain('↓ more');
  });

  it('lists every key in the help and says nothing by colour alone', () => {
    const help = drawScreen({ ...MODEL, help: 0 }, { columns: 100, rows: 30 });
    for (const binding of KEY_BINDINGS) expect(help.map(lineText).join('\n')).toContain(binding.does);
    expect(paint(help[0]!, false)).toBe(lineText(help[0]!));
    expect(paint(help[0]!, true)).toContain('\u001b[');
  });

  it('prints the clock', () => {
    expect([clockText(0), clockText(61_001_000)]).toEqual(['0:00:00.000', '0:01:01.001']);
  });
});
