import type { WatchCreateRequest } from '../../../../api/etcd/watch.ts';
import type { Blame } from '../commit-order.ts';
import type { EtcdModel } from '../model/model.ts';
import { ATOMIC } from './atomic.ts';
import { BOOKMARKABLE } from './bookmarkable.ts';
import { FILTERS } from './filters.ts';
import { ORDERED } from './ordered.ts';
import { PREVIOUS_VALUE } from './previous-value.ts';
import { RELIABLE } from './reliable.ts';
import { RESUMABLE } from './resumable.ts';
import { UNIQUE } from './unique.ts';
import { type WatchAnswer, type WatchChecker, type WatchGuarantee, watched } from './watch-checker.ts';

/** Every guarantee that watches are held to. */
export const WATCH_GUARANTEES: readonly WatchGuarantee[] = Object.freeze([
  ORDERED,
  UNIQUE,
  ATOMIC,
  RELIABLE,
  RESUMABLE,
  BOOKMARKABLE,
  PREVIOUS_VALUE,
  FILTERS,
]);

/** Holds one watch to all guarantees. */
export class WatchFollower {
  readonly #checkers: readonly WatchChecker[];
  events = 0;
  /** Everything up to here has been told, as far as the watch itself says. */
  revision = 0;

  constructor(name: string, request: WatchCreateRequest, truth: () => EtcdModel, blame: Blame) {
    this.#checkers = WATCH_GUARANTEES.map((guarantee) =>
      guarantee.make(watched(request, truth, (detail) => blame(guarantee.name, `${name}: ${detail}`))),
    );
  }

  created(revision: number): void {
    for (const checker of this.#checkers) checker.created?.(revision);
  }

  answer(answer: WatchAnswer): void {
    this.events += answer.events.length;
    this.revision = Math.max(this.revision, answer.revision);
    for (const checker of this.#checkers) checker.events?.(answer);
  }

  progress(revision: number): void {
    this.revision = Math.max(this.revision, revision);
    for (const checker of this.#checkers) checker.progress?.(revision);
  }

  compacted(compactRevision: number): void {
    for (const checker of this.#checkers) checker.compacted?.(compactRevision);
  }

  finish(): void {
    for (const checker of this.#checkers) checker.finish?.();
  }
}
