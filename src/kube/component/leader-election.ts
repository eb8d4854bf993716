import { timeout } from '../../platform/combinators.ts';
import { deepEqual } from '../../platform/deep-equal.ts';
import { TimeoutError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import type { Task } from '../../platform/task.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import type { KubeClient } from '../client/client.ts';
import { componentLeads } from '../events.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';

/** Defaults of kube-controller-manager and kube-scheduler. */
const LEASE_US = 15_000_000;
const RENEW_DEADLINE_US = 10_000_000;
/** Limit of one attempt: half the renew deadline, so that one hanging request does not hide the loss. */
const ATTEMPT_US = 5_000_000;
const RETRY_US = 2_000_000;
const JITTER_PERCENT = 120;

const LEASES = findResource('coordination.k8s.io/v1', 'leases')!;

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/**
 * client-go's leader election on a Lease of kube-system. Observes the record and judges its age by the local clock since it
 * was last seen to change, so that clocks of machines need not agree.
 */
export class LeaderElection {
  readonly #client: KubeClient;
  readonly #platform: Platform;
  readonly #name: string;
  readonly #identity: string;
  /** The record as it was last seen or written, and when it last changed. */
  #seen: LeaseSpec | undefined;
  #seenAtUs = 0;
  /** The lease as this candidate wrote it last, while nobody else is known to have written it. */
  #own: KubeObject | undefined;

  constructor(client: KubeClient, platform: Platform, name: string, identity: string) {
    this.#client = client;
    this.#platform = platform;
    this.#name = name;
    this.#identity = identity;
  }

  /** Waits until this candidate leads. */
  *acquire(): Task<void> {
    const { clock, random } = this.#platform;
    for (;;) {
      if (yield* this.#tryAcquire()) {
        this.#platform.log.event(componentLeads, { component: this.#name, identity: this.#identity });
        return;
      }
      yield* clock.sleep(RETRY_US + random.int(0, (RETRY_US * JITTER_PERCENT) / 100));
    }
  }

  /** Renews until leadership is lost; then returns. */
  *hold(): Task<void> {
    const { clock } = this.#platform;
    let renewedAtUs = clock.monotonicUs();
    for (;;) {
      yield* clock.sleep(RETRY_US);
      if (yield* this.#tryAcquire()) renewedAtUs = clock.monotonicUs();
      else if (clock.monotonicUs() - renewedAtUs >= RENEW_DEADLINE_US) return;
    }
  }

  *#tryAcquire(): Task<boolean> {
    try {
      return yield* timeout(this.#platform.clock, ATTEMPT_US, this.#attempt(), 'leader election');
    } catch (error) {
      if (error instanceof KubeError || error instanceof HttpError || error instanceof TimeoutError) return false;
      throw error;
    }
  }

  *#attempt(): Task<boolean> {
    return (yield* this.#renewUnseen()) || (yield* this.#lookAndWrite());
  }

  /** The leader's short way: writes without reading first, which holds unless somebody else has written since. */
  *#renewUnseen(): Task<boolean> {
    const { clock } = this.#platform;
    const own = this.#own;
    if (own === undefined || clock.monotonicUs() - this.#seenAtUs >= LEASE_US) return false;
    try {
      yield* this.#write({ ...own, spec: { ...(own.spec as LeaseSpec), renewTime: rfc3339(clock.nowUs(), true) } });
      return true;
    } catch (error) {
      if (error instanceof KubeError || error instanceof HttpError) return false;
      throw error;
    }
  }

  *#write(lease: KubeObject): Task<void> {
    this.#own = yield* this.#client.update(LEASES, lease);
    this.#note(lease.spec as LeaseSpec);
  }

  #note(spec: LeaseSpec): void {
    this.#seen = spec;
    this.#seenAtUs = this.#platform.clock.monotonicUs();
  }

  *#lookAndWrite(): Task<boolean> {
    const { clock } = this.#platform;
    this.#own = undefined;
    const current = yield* this.#client.find(LEASES, 'kube-system', this.#name);
    const now = rfc3339(clock.nowUs(), true);
    if (current === undefined) {
      const spec = {
        holderIdentity: this.#identity,
        leaseDurationSeconds: LEASE_US / 1_000_000,
        acquireTime: now,
        renewTime: now,
        leaseTransitions: 0,
      };
      const lease: KubeObject = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: this.#name, namespace: 'kube-system' },
        spec,
      };
      this.#own = yield* this.#client.create(LEASES, 'kube-system', lease);
      this.#note(spec);
      return true;
    }
    const spec = current.spec as LeaseSpec;
    if (!deepEqual(spec, this.#seen)) this.#note(spec);
    const mine = spec.holderIdentity === this.#identity;
    const held =
      (spec.holderIdentity ?? '') !== '' &&
      clock.monotonicUs() - this.#seenAtUs < (spec.leaseDurationSeconds ?? 15) * 1_000_000;
    if (!mine && held) return false;
    const next = {
      ...spec,
      holderIdentity: this.#identity,
      renewTime: now,
      ...(!mine && { acquireTime: now, leaseTransitions: (spec.leaseTransitions ?? 0) + 1 }),
    };
    yield* this.#write({ ...current, spec: next });
    return true;
  }
}
