import { expect, it } from 'vitest';
import type { KubeClient } from '../../src/kube/client/client.ts';
import { LeaderElection } from '../../src/kube/component/leader-election.ts';
import { KubeError } from '../../src/kube/objects/errors.ts';
import type { KubeObject } from '../../src/kube/objects/object.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Task } from '../../src/platform/task.ts';

interface LeaseSpec {
  readonly holderIdentity: string;
}

/** One lease, and candidates that share it; each sleep of a candidate lets `between` happen. */
class Election {
  readonly told: string[] = [];
  lease: KubeObject | undefined;
  #nowUs = 0;
  #version = 0;

  #write(object: KubeObject): KubeObject {
    this.lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    return this.lease;
  }

  readonly #client = (identity: string): KubeClient => {
    const election = this;
    const client = {
      *find(): Task<KubeObject | undefined> {
        election.told.push(`${identity} reads`);
        return election.lease;
      },
      *create(_type: unknown, _namespace: unknown, object: KubeObject): Task<KubeObject> {
        election.told.push(`${identity} creates`);
        return election.#write(object);
      },
      *update(_type: unknown, object: KubeObject): Task<KubeObject> {
        const fits = object.metadata.resourceVersion === election.lease?.metadata.resourceVersion;
        election.told.push(`${identity} ${fits ? 'writes' : 'is refused'}`);
        if (!fits) throw new KubeError('Conflict', 'modified');
        return election.#write(object);
      },
    };
    return client as unknown as KubeClient;
  };

  candidate(identity: string, between: (sleeps: number) => void): LeaderElection {
    let sleeps = 0;
    const election = this;
    const clock = {
      nowUs: () => this.#nowUs,
      monotonicUs: () => this.#nowUs,
      after: () => ({ cancel: () => {} }),
      *sleep(us: number): Task<void> {
        election.#nowUs += us;
        between(++sleeps);
      },
    };
    const platform = { clock, random: { int: () => 0 }, log: { event: () => {} } } as unknown as Platform;
    return new LeaderElection(this.#client(identity), platform, 'kube-scheduler', identity);
  }

  get holder(): string | undefined {
    return (this.lease?.spec as LeaseSpec | undefined)?.holderIdentity;
  }
}

/** Runs a task that never waits, until it throws `over`. */
function untilOver(task: Task<void>): void {
  expect(() => task.next()).toThrow('over');
}

it('a leader renews without reading', () => {
  const election = new Election();
  const leader = election.candidate('a', (sleeps) => {
    if (sleeps > 3) throw new Error('over');
  });
  leader.acquire().next();
  untilOver(leader.hold());
  expect(election.told).toEqual(['a reads', 'a creates', 'a writes', 'a writes', 'a writes']);
});

it('a write that somebody else was faster with is looked at, and made again while the lease is still its own', () => {
  const election = new Election();
  const leader = election.candidate('a', (sleeps) => {
    if (sleeps === 1)
      election.lease = { ...election.lease!, metadata: { name: 'kube-scheduler', resourceVersion: '99' } };
    if (sleeps > 2) throw new Error('over');
  });
  leader.acquire().next();
  untilOver(leader.hold());
  expect(election.told.slice(2)).toEqual(['a is refused', 'a reads', 'a writes', 'a writes']);
});

it('a leader whose lease was taken while it stood still does not take it back before it expired', () => {
  const election = new Election();
  const leader = election.candidate('a', (sleeps) => {
    if (sleeps === 1) {
      const metadata = { name: 'kube-scheduler', resourceVersion: '99' };
      election.lease = { ...election.lease!, metadata, spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } };
    }
  });
  leader.acquire().next();
  leader.hold().next();
  expect(election.holder).toBe('b');
  expect(election.told.slice(2)).toEqual(['a is refused', ...Array(5).fill('a reads')]);
});
