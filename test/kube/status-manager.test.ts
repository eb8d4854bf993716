import { describe, expect, it } from 'vitest';
import { postStatuses, type StatusDeps } from '../../src/kube/kubelet/status-manager.ts';
import type { KubeObject } from '../../src/kube/objects/object.ts';
import { Notifier } from '../../src/platform/signal.ts';
import type { Task } from '../../src/platform/task.ts';
import { TinyWorld } from '../rpc/tiny-world.ts';

const SECOND = 1_000_000;

/** A kubelet with one pod, whose status somebody else overwrites as soon as it is posted. */
class Rivalry {
  readonly world = new TinyWorld();
  readonly postedAtSeconds: number[] = [];
  readonly changed = new Notifier();
  phase = 'Running';
  pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n', uid: 'u' } };

  start(): void {
    const worker = { pod: this.pod, status: () => ({ body: { phase: this.phase } }) };
    const bound = {
      synced: true,
      changed: this.changed,
      get: () => this.pod,
      items: () => [this.pod],
      observe: () => {},
    };
    const deps = {
      clock: this.world.clock,
      client: { update: (_kind: unknown, pod: KubeObject) => this.#update(pod) },
      bound,
      manager: { workers: [worker], changed: new Notifier() },
      source: { changed: new Notifier(), fetched: true, pods: [] },
      nodeName: 'node',
      nodeUid: () => 'node-uid',
    };
    this.world.root.spawn('statuses', () => postStatuses(deps as unknown as StatusDeps));
    this.world.advanceBy(1);
  }

  *#update(pod: KubeObject): Task<KubeObject> {
    this.postedAtSeconds.push(Math.round(this.world.nowUs / SECOND));
    this.world.after(1_000, () => {
      this.pod = { ...this.pod, status: { phase: 'Pending' } };
      this.changed.notify();
    });
    return pod;
  }
}

describe('statuses of pods', () => {
  it('one that somebody else overwrites is put right after a while, one that changed at once', () => {
    const rivalry = new Rivalry();
    rivalry.start();
    rivalry.world.advanceBy(5 * SECOND);
    expect(rivalry.postedAtSeconds).toEqual([0]);
    rivalry.phase = 'Succeeded';
    rivalry.changed.notify();
    rivalry.world.advanceBy(1 * SECOND);
    expect(rivalry.postedAtSeconds).toEqual([0, 5]);
    rivalry.world.advanceBy(94 * SECOND);
    expect(rivalry.postedAtSeconds.length).toBeGreaterThan(4);
    expect(rivalry.postedAtSeconds.length).toBeLessThan(12);
  });
});
