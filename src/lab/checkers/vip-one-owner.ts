import { vipAcquired, vipReleased } from '../../nodes/events.ts';
import { formatDurationUs } from '../../platform/text/duration.ts';
import { kernelEnded } from '../../sim/events.ts';
import { type Checker, machineOf } from './checker.ts';

/** Lease of the VIP session and the step of the client's own check: how long a cut-off owner may go on believing. */
const OVERLAP_US = 62_000_000;

/** The virtual address has at most one owner that answers, but for the time a lost owner needs to notice its lease is over. */
export function vipOneOwner(): Checker {
  const owners = new Map<string, number>();
  const overlaps = new Map<string, number>();
  const end = (machine: string): void => {
    owners.delete(machine);
    for (const key of [...overlaps.keys()]) if (key.split(' ').includes(machine)) overlaps.delete(key);
  };
  const settle = (nowUs: number, report: (detail: string) => void): void => {
    for (const [key, sinceUs] of overlaps) {
      if (nowUs - sinceUs <= OVERLAP_US) continue;
      overlaps.delete(key);
      report(
        `${key.replace(' ', ' and ')} have both held the virtual address for more than ${formatDurationUs(OVERLAP_US)}`,
      );
    }
  };
  let lastUs = 0;
  return {
    guarantee: 'vip-one-owner',
    about: 'the virtual address has one owner, but for the length of a lease',
    take(event, report) {
      lastUs = event.timeUs;
      const machine = machineOf(event.source);
      if (event.kind === vipReleased.name || event.kind === kernelEnded.name) end(machine);
      else if (event.kind === vipAcquired.name) {
        for (const other of owners.keys()) if (other !== machine) overlaps.set(`${other} ${machine}`, event.timeUs);
        owners.set(machine, event.timeUs);
      }
      if (overlaps.size > 0) settle(event.timeUs, report);
    },
    finish(report) {
      settle(lastUs, report);
    },
  };
}
