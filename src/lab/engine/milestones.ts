import { apiServing, nodeChanged } from '../../kube/events.ts';
import { etcdPhase, kubePrismHealth, serviceState, vipAcquired } from '../../nodes/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { machineOf } from '../checkers/checker.ts';

/** Points in a bring-up that the reference gives ranges for (reference/corrections.md part 2). */
export const MILESTONES = [
  'waiting-for-bootstrap',
  'bootstrap',
  'first-member-healthy',
  'first-apiserver',
  'kubeprism-usable',
  'first-promotion',
  'second-promotion',
  'vip-taken',
  'first-node-ready',
  'all-nodes-ready',
] as const;

export type Milestone = (typeof MILESTONES)[number];

/** Times of milestones of one run, in true simulation time, and the order in which control planes became voters. */
export class MilestoneRecorder {
  readonly atUs = new Map<Milestone, number>();
  readonly promoted: string[] = [];
  readonly #ready = new Set<string>();
  readonly #nodeCount: number;

  constructor(nodeCount: number) {
    this.#nodeCount = nodeCount;
  }

  take(event: TraceEvent): void {
    switch (event.kind) {
      case etcdPhase.name:
        this.#etcd(event);
        break;
      case serviceState.name:
        if (event.fields.service === 'etcd' && event.fields.health === 'healthy')
          this.#mark('first-member-healthy', event.timeUs);
        break;
      case apiServing.name:
        if (event.fields.serving === true) this.#mark('first-apiserver', event.timeUs);
        break;
      case kubePrismHealth.name:
        // Untried upstreams count as usable; what matters is the first use after an API server opened its port.
        if (event.fields.healthy === true && this.atUs.has('first-apiserver'))
          this.#mark('kubeprism-usable', event.timeUs);
        break;
      case vipAcquired.name:
        this.#mark('vip-taken', event.timeUs);
        break;
      case nodeChanged.name:
        this.#node(event);
        break;
    }
  }

  #etcd(event: TraceEvent): void {
    const phase = event.fields.phase;
    if (phase === 'waiting-to-join') this.#mark('waiting-for-bootstrap', event.timeUs);
    else if (phase === 'bootstrap-requested') this.#mark('bootstrap', event.timeUs);
    else if (phase === 'promoted') {
      this.#mark(this.promoted.length === 0 ? 'first-promotion' : 'second-promotion', event.timeUs);
      this.promoted.push(machineOf(event.source));
    }
  }

  #node(event: TraceEvent): void {
    const name = String(event.fields.name);
    if (event.fields.ready !== true) {
      this.#ready.delete(name);
      return;
    }
    this.#ready.add(name);
    this.#mark('first-node-ready', event.timeUs);
    if (this.#ready.size === this.#nodeCount) this.#mark('all-nodes-ready', event.timeUs);
  }

  #mark(milestone: Milestone, timeUs: number): void {
    if (!this.atUs.has(milestone)) this.atUs.set(milestone, timeUs);
  }
}
