import { beforeAll, describe, expect, it } from 'vitest';
import { ShellSession } from '../../src/lab/shell/session.ts';
import { openCluster } from '../../src/runner/scenario-file.ts';
import { lineText } from '../../src/tui/cells.ts';
import { LabController } from '../../src/tui/controller.ts';
import { drawScreen } from '../../src/tui/screen.ts';
import { sharedCluster } from './cluster.ts';

const KEEPS_WORKING = 'A majority can elect a leader and commit writes. The Kubernetes API keeps working.';
const STOPS = 'No majority is left: nobody can be elected and no write is committed.';

function put(address: string): string {
  return `timeout 10s etcdctl put some thing --endpoints https://${address}:2379`;
}

const name = (number: number): string => `cp-${number}`;
const address = (number: number): string => `10.0.0.${9 + number}`;

describe('the quorum simulator', () => {
  const cluster = sharedCluster({ size: { controlPlanes: 5, workers: 0 } });
  // Both switch every machine on when they begin: one of each serves all tests.
  let printed = '';
  let shell: ShellSession;
  let lab: LabController;
  beforeAll(() => {
    shell = new ShellSession(cluster.session, (text) => {
      printed += text;
    });
    lab = new LabController(cluster.session, 1);
  }, 60_000);
  const readOut = (): string => {
    printed = '';
    shell.enter('quorum');
    return printed;
  };

  it('tells of a fault that would hit nothing, and leaves everything as it is', () => {
    printed = '';
    const machine = cluster.session.world.simulation.machine('cp-1')!;
    const before = machine.state;
    for (const line of ['kill cp-1 nope', 'alter-etcd cp-1 nokey']) expect(shell.enter(line), line).toBe('failed');
    expect(printed).toBe(
      'kill: no process "nope" runs on cp-1\nalter-etcd: the etcd database of cp-1 holds no key "nokey"\n',
    );
    expect(before).not.toBe('off');
    expect(machine.state).toBe(before);
  });

  it('takes any number of members, and the table tells what each number is worth', () => {
    for (const controlPlanes of [1, 2, 3, 4, 5])
      expect(openCluster({ controlPlanes, workers: 2 }).scenario.machines).toHaveLength(controlPlanes + 2);
    expect(readOut()).toContain(
      [
        'MEMBERS   QUORUM   FAILURES TOLERATED   NOTE',
        '1         1        0                    ',
        '2         2        0                    worse than one: either failure stops it',
        '3         2        1                    ',
        '4         3        1                    tolerates no more than three, with one more to break',
        '5         3        2                    ',
      ].join('\n'),
    );
  });

  it('of a partition only a side with a majority accepts writes, and of two halves neither', () => {
    cluster.fault('partition cp-1,cp-2 cp-3,cp-4,cp-5');
    cluster.advance('15s');
    expect(cluster.type(put(address(1))).exitCode).not.toBe(0);
    cluster.ok(put(address(3)));
    cluster.fault('heal');
    cluster.until(put(address(1)), 'OK', '1m');
  });

  it.each([5, 4, 3, 2])(
    'with %i members a key press fails and recovers one, and the read-outs tell what it means',
    (count) => {
      const needed = Math.floor(count / 2) + 1;
      const rows = cluster.session.scenario.machines.length;
      const press = (member: number): void => {
        for (let row = 0; row < rows && lab.model().selected !== member - 1; row++) lab.key('j', undefined);
        lab.key('p', undefined);
      };
      const screen = (): string => drawScreen(lab.model(), { columns: 140, rows: 40 }).map(lineText).join('\n');
      const expectReadOut = (healthy: number): void => {
        const available = healthy >= needed;
        expect(readOut()).toContain(
          [
            `quorum needed               ${needed} of ${count}`,
            `failures tolerated          ${count - needed}`,
            `healthy                     ${healthy}/${count}`,
            `writes and Kubernetes API   ${available ? 'available' : 'unavailable'}`,
            available ? KEEPS_WORKING : STOPS,
          ].join('\n'),
        );
        expect(screen()).toContain(available ? KEEPS_WORKING : STOPS);
        expect(screen()).toContain(`${healthy}/${count} voters, quorum ${needed}`);
      };
      expectReadOut(count);
      for (let failed = 1; failed <= count - needed + 1; failed++) {
        press(count + 1 - failed);
        cluster.advance('10s');
        if (count - failed >= needed) {
          cluster.until(put(address(1)), 'OK', '1m');
          expectReadOut(count - failed);
          if (count === 3) cluster.until('timeout 10s kubectl get nodes', 'cp-1', '3m');
          continue;
        }
        expect(cluster.type(put(address(1))).exitCode).not.toBe(0);
        expect(readOut()).toContain(STOPS);
        expect(screen()).toContain(STOPS);
      }
      for (let failed = 1; failed <= count - needed + 1; failed++) press(count + 1 - failed);
      cluster.until(put(address(1)), 'OK', '3m');
      cluster.until(`talosctl service etcd -n ${address(count)} -e ${address(1)}`, /HEALTH +OK/, '3m');
      cluster.advance('20s');
      expectReadOut(count);
      if (count === 4) {
        cluster.fault('partition cp-1,cp-2 cp-3,cp-4');
        cluster.advance('15s');
        for (const side of [1, 3]) expect(cluster.type(put(address(side))).exitCode).not.toBe(0);
        cluster.fault('heal');
        // Who leaves must have heard of the new leader, too.
        for (const side of [1, 4]) cluster.until(put(address(side)), 'OK', '1m');
      }
      cluster.ok(`talosctl etcd leave -n ${address(count)} -e ${address(1)}`);
      cluster.fault(`power-off ${name(count)}`);
      cluster.until(put(address(1)), 'OK', '1m');
    },
  );

  it('with one member nothing may fail', () => {
    expect(readOut()).toContain('quorum needed               1 of 1\nfailures tolerated          0\n');
  });
});
