import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Session } from '../../src/lab/engine/session.ts';
import { LabController } from '../../src/tui/controller.ts';
import { twoMachines } from './support.ts';

const SECOND_US = 1_000_000;

describe('keys', () => {
  let session: Session;
  let lab: LabController;
  beforeEach(() => {
    session = twoMachines();
    lab = new LabController(session, 1);
  });
  afterEach(() => session.close());

  const press = (keys: string): void => {
    for (const key of keys) lab.key(key, undefined);
  };
  const log = (): string => lab.model().log.join('\n');

  it('time stands still until space, and again after it', () => {
    lab.tick(100);
    expect(session.nowUs).toBe(0);
    press(' ');
    expect(lab.model()).toMatchObject({ playing: true, speed: 10 });
    lab.tick(100);
    expect(session.nowUs).toBe(SECOND_US);
    press(' ');
    lab.tick(100);
    expect(session.nowUs).toBe(SECOND_US);
  });

  it('< and > change how much time a tick is, within bounds', () => {
    press('> ');
    lab.tick(100);
    expect(session.nowUs).toBe(3 * SECOND_US);
    press('<<<<<<<<<<<<');
    expect(lab.model().speed).toBe(0.1);
    press('>>>>>>>>>>>>');
    expect(lab.model().speed).toBe(300);
  });

  it('playing runs the steps of the scenario, once', () => {
    press('   ');
    session.world.simulation.runFor(60 * SECOND_US);
    expect(log().match(/\$ talosctl get disks --insecure -n 10\.0\.0\.10/g)).toHaveLength(1);
    expect(log()).toContain('the scenario has run');
  });

  it('. goes on to the next line of the log and pauses; → by one second', () => {
    press(' ');
    lab.tick(100);
    const before = lab.model().log.length;
    press('.');
    expect(lab.playing).toBe(false);
    expect(lab.model().log.length).toBe(before + 1);
    const { nowUs } = session;
    lab.key('', 'right');
    expect(session.nowUs).toBe(nowUs + SECOND_US);
  });

  it('p cuts and restores the power of the selected machine, and says how it is typed', () => {
    lab.key('', 'down');
    press('p');
    expect(lab.model()).toMatchObject({ selected: 1, echo: 'power-off cp-2' });
    expect(lab.model().view.machines.map((machine) => machine.power)).toEqual(['on', 'off']);
    press('p');
    expect(lab.model().echo).toBe('power-on cp-2');
    expect(lab.model().view.machines[1]!.power).toBe('on');
    lab.key('', 'up');
    lab.key('', 'up');
    expect(lab.model().selected).toBe(1);
  });

  it('b bootstraps the selected machine as an operator would; one without a config refuses', () => {
    session.world.simulation.runFor(30 * SECOND_US);
    press('b');
    session.world.simulation.runFor(30 * SECOND_US);
    expect(lab.model().echo).toBe('talosctl bootstrap -n 10.0.0.10 -e 10.0.0.10');
    expect(log()).toMatch(/\$ talosctl bootstrap -n 10\.0\.0\.10 -e 10\.0\.0\.10\n.*\S/);
  });

  it('x cuts a machine off the network and heals it', () => {
    const reachable = (): boolean => {
      const before = log().length;
      press(':');
      press('talosctl get disks --insecure -n 10.0.0.10');
      lab.key('', 'return');
      return log().slice(before).includes('/dev/sda') || log().slice(before).includes('sda ');
    };
    session.world.simulation.runFor(30 * SECOND_US);
    expect(reachable()).toBe(true);
    press('x');
    expect(lab.model().echo).toBe('isolate cp-1');
    expect(reachable()).toBe(false);
    press('x');
    expect(lab.model().echo).toBe('heal cp-1');
    expect(reachable()).toBe(true);
  });

  it('the prompt takes letters that are keys elsewhere, backspace and escape', () => {
    press(':stq');
    lab.key('', 'backspace');
    expect(lab.model().prompt).toBe('st');
    lab.key('', 'escape');
    expect(lab.model().prompt).toBeUndefined();
    press(':no-such-command');
    lab.key('', 'return');
    expect(log()).toContain('no-such-command');
    expect(lab.model().log.at(-1)).not.toContain('$ no-such-command');
  });

  it('says that time stands still only while it does, and what a key did until the next', () => {
    expect(lab.model().echo).toContain('time stands still');
    press(' ');
    expect(lab.model().echo).toBe('');
    press('p');
    expect(lab.model().echo).toBe('power-off cp-1');
    press(' ');
    expect(lab.model().echo).toContain('time stands still');
  });

  it('the prompt takes quit, and run as space does', () => {
    press(':run');
    lab.key('', 'return');
    press(' ');
    session.world.simulation.runFor(60 * SECOND_US);
    expect(log().match(/the scenario has run/g)).toHaveLength(1);
    press(':quit');
    expect(lab.key('', 'return')).toBe('quit');
  });

  it('? opens the help and closes it, as escape does; q quits', () => {
    press('?jjk');
    expect(lab.model()).toMatchObject({ help: 1, selected: 0 });
    lab.key('', 'escape');
    expect(lab.model().help).toBeUndefined();
    press('??');
    expect(lab.model().help).toBeUndefined();
    expect(lab.key('z', undefined)).toBeUndefined();
    expect(lab.key('q', undefined)).toBe('quit');
  });
});
