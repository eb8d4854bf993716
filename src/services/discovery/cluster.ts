import { DiscoveredAffiliate, WatchResponse } from '../../api/discovery.ts';
import { Channel, END } from '../../platform/channel.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { AffiliateRecord } from './affiliate.ts';
import { AFFILIATES_MAX, SUBSCRIPTION_BUFFER } from './limits.ts';

/** Changes of one cluster for one watcher; a watcher that falls behind by more than the buffer loses it. */
export class Subscription {
  readonly #changes = new Channel<WatchResponse>(SUBSCRIPTION_BUFFER);
  readonly #onClose: (subscription: Subscription) => void;
  #lost = false;

  constructor(onClose: (subscription: Subscription) => void) {
    this.#onClose = onClose;
  }

  offer(change: WatchResponse): void {
    if (this.#changes.offer(change) || this.#changes.closed) return;
    this.#lost = true;
    this.close();
  }

  /** The next change, undefined after the service stopped; RpcError Aborted when one was lost. */
  *next(): Task<WatchResponse | undefined> {
    const change = yield* this.#changes.receive();
    if (this.#lost) throw new RpcError('Aborted', 'subscription canceled: lost update');
    return change === END ? undefined : change;
  }

  close(): void {
    this.#changes.close();
    this.#onClose(this);
  }
}

/** The affiliates of one cluster and who watches them (reference/network-config.md C.8, state rules). */
export class ClusterState {
  readonly #affiliates = new Map<string, AffiliateRecord>();
  readonly #subscriptions = new Set<Subscription>();

  get idle(): boolean {
    return this.#affiliates.size === 0 && this.#subscriptions.size === 0;
  }

  get affiliates(): readonly AffiliateRecord[] {
    return [...this.#affiliates.values()];
  }

  /** Throws RpcError ResourceExhausted. */
  update(id: string, data: Uint8Array | null, endpoints: readonly Uint8Array[], expiresUs: number): void {
    let affiliate = this.#affiliates.get(id);
    if (affiliate === undefined) {
      if (this.#affiliates.size >= AFFILIATES_MAX) {
        throw new RpcError('ResourceExhausted', 'too many affiliates in the cluster');
      }
      affiliate = new AffiliateRecord(id);
      this.#affiliates.set(id, affiliate);
    }
    const { notify, error } = affiliate.update(data, endpoints, expiresUs);
    if (notify) this.#tell(WatchResponse.of({ affiliates: [affiliate.export()] }));
    if (error !== undefined) throw error;
  }

  restore(affiliate: AffiliateRecord): void {
    this.#affiliates.set(affiliate.id, affiliate);
  }

  remove(id: string): void {
    if (this.#affiliates.delete(id)) this.#tellRemoved(id);
  }

  list(): readonly DiscoveredAffiliate[] {
    return this.affiliates.map((affiliate) => affiliate.export());
  }

  /** What is there now, and what changes from now on. */
  subscribe(): { readonly snapshot: readonly DiscoveredAffiliate[]; readonly subscription: Subscription } {
    const subscription = new Subscription((closed) => this.#subscriptions.delete(closed));
    this.#subscriptions.add(subscription);
    return { snapshot: this.list(), subscription };
  }

  /**
   * Takes away what has expired; gives the ids of affiliates that went. Watchers hear of an expired *endpoint* as if its
   * affiliate had been removed: so does the real service.
   */
  collect(nowUs: number): readonly string[] {
    const gone: string[] = [];
    for (const affiliate of this.affiliates) {
      const collected = affiliate.collect(nowUs);
      if (collected === 'unchanged') continue;
      if (collected === 'expired') {
        this.#affiliates.delete(affiliate.id);
        gone.push(affiliate.id);
      }
      this.#tellRemoved(affiliate.id);
    }
    return gone;
  }

  #tellRemoved(id: string): void {
    this.#tell(WatchResponse.of({ affiliates: [DiscoveredAffiliate.of({ id })], deleted: true }));
  }

  #tell(change: WatchResponse): void {
    for (const subscription of [...this.#subscriptions]) subscription.offer(change);
  }
}
