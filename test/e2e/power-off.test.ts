import { describe, expect, it } from 'vitest';
import { EtcdEvent } from '../../src/etcd/events.ts';
import { componentLeads, nodeChanged } from '../../src/kube/events.ts';
import { machineOf } from '../../src/lab/checkers/checker.ts';
import { vipAcquired } from '../../src/nodes/events.ts';
import { kernelEnded } from '../../src/sim/events.ts';
import type { TraceEvent } from '../../src/sim/trace.ts';
import { run, seeds } from './run.ts';

const SECOND_US = 1_000_000;

/** What followed the loss of cp-1, in seconds after it; and whether cp-1 had led etcd. */
class Aftermath {
  #cutUs: number | undefined;
  #leader = '';
  wasLeader = false;
  readonly atSec: { leader?: number; vip?: number; manager?: number; notReady?: number } = {};

  take(event: TraceEvent): void {
    if (event.kind === EtcdEvent.BecameLeader.name) {
      this.#leader = machineOf(event.source);
      this.#mark('leader', event);
    } else if (event.kind === componentLeads.name && event.fields.component === 'kube-controller-manager')
      this.#mark('manager', event);
    else if (event.kind === vipAcquired.name) this.#mark('vip', event);
    else if (event.kind === nodeChanged.name && event.fields.name === 'cp-1' && event.fields.ready !== true)
      this.#mark('notReady', event);
    else if (
      event.kind === kernelEnded.name &&
      event.fields.how === 'cut' &&
      machineOf(event.source) === 'cp-1' &&
      this.#leader !== ''
    ) {
      this.#cutUs = event.timeUs;
      this.wasLeader = this.#leader === 'cp-1';
    }
  }

  #mark(name: keyof Aftermath['atSec'], event: TraceEvent): void {
    if (this.#cutUs !== undefined) this.atSec[name] ??= (event.timeUs - this.#cutUs) / SECOND_US;
  }
}

describe('power-off of the owner of the shared address', () => {
  it.each(seeds(2))('follows the timeline of the reference, seed %i', (seed) => {
    const aftermath = new Aftermath();
    run('vip-failover', { seed, watch: { onEvent: (event) => aftermath.take(event) } });
    const { leader, vip, manager = 0, notReady } = aftermath.atSec;
    // Timeline e: an election after 10 to 19 ticks of silence, with one more round when the first is not won.
    if (aftermath.wasLeader) {
      expect(leader).toBeGreaterThan(0.9);
      expect(leader).toBeLessThan(4);
      // All leases are 61 s again after the election; they are looked at twice a second.
      expect(vip! - leader!).toBeGreaterThan(60);
      expect(vip! - leader!).toBeLessThan(63);
    } else {
      expect(vip).toBeGreaterThan(39);
      expect(vip).toBeLessThan(61);
    }
    // A grace period of 50 s from the last lease seen, checked every 5 s. The next controller manager begins it anew, and
    // once more if its first list was older than the last lease.
    expect(notReady! - manager).toBeGreaterThan(40);
    expect(notReady! - manager).toBeLessThan(70);
  });
});
