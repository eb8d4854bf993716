import type { Platform } from '../../platform/platform.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import type { Task } from '../../platform/task.ts';
import { isTransient, type KubeClient } from '../client/client.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';

const LEASES = findResource('coordination.k8s.io/v1', 'leases')!;
const NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;
/** A quarter of the lease, and up to 4 % later, so that kubelets do not march in step. */
const PERIOD_US = 10_000_000;
const JITTER_US = 400_000;
const ATTEMPTS = 5;
const ENSURE_FIRST_US = 100_000;
const ENSURE_MAX_US = 7_000_000;

/**
 * Renews the lease of a node, by which the controller-manager knows that its kubelet lives. Up to five attempts follow one
 * another; from the second that fails in a row `onRepeatedFailure` drops the connections (reference/corrections.md (e)).
 */
export class NodeLease {
  readonly #platform: Platform;
  readonly #client: KubeClient;
  readonly #nodeName: string;
  readonly #onRepeatedFailure: () => void;
  #latest: KubeObject | undefined;

  constructor(platform: Platform, client: KubeClient, nodeName: string, onRepeatedFailure: () => void) {
    this.#platform = platform;
    this.#client = client;
    this.#nodeName = nodeName;
    this.#onRepeatedFailure = onRepeatedFailure;
  }

  *run(): Task<never> {
    const { clock, random } = this.#platform;
    for (;;) {
      const renewed = this.#latest !== undefined && (yield* this.#renew());
      if (!renewed) yield* this.#ensure();
      yield* clock.sleep(PERIOD_US + random.int(0, JITTER_US));
    }
  }

  /** False when the lease must be read anew. */
  *#renew(): Task<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        this.#latest = yield* this.#client.update(LEASES, { ...this.#latest!, spec: this.#spec() });
        return true;
      } catch (error) {
        checkExpected(error);
        if (error instanceof KubeError && (error.reason === 'Conflict' || error.reason === 'NotFound')) break;
        if (attempt > 0) this.#onRepeatedFailure();
      }
    }
    this.#latest = undefined;
    return false;
  }

  /** Tries until the lease exists and is renewed. */
  *#ensure(): Task<void> {
    const { clock } = this.#platform;
    let pauseUs = ENSURE_FIRST_US;
    for (;;) {
      try {
        const current = yield* this.#client.find(LEASES, NAMESPACE, this.#nodeName);
        this.#latest =
          current === undefined
            ? yield* this.#client.create(LEASES, NAMESPACE, this.#fresh())
            : yield* this.#client.update(LEASES, { ...current, spec: this.#spec() });
        return;
      } catch (error) {
        checkExpected(error);
      }
      yield* clock.sleep(pauseUs);
      pauseUs = Math.min(ENSURE_MAX_US, pauseUs * 2);
    }
  }

  #fresh(): KubeObject {
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: this.#nodeName, namespace: NAMESPACE },
      spec: this.#spec(),
    };
  }

  #spec(): object {
    return {
      holderIdentity: this.#nodeName,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: rfc3339(this.#platform.clock.nowUs(), true),
    };
  }
}

function checkExpected(error: unknown): void {
  if (!(error instanceof KubeError) && !isTransient(error)) throw error;
}
