import type { Pointer } from './metadata.ts';
import type { Resource } from './resource.ts';

/** What a watch delivers (reference/controllers.md A.3). */
export type WatchEvent<S = unknown> =
  | { readonly kind: 'created'; readonly resource: Resource<S>; readonly bookmark: string }
  | {
      readonly kind: 'updated';
      readonly resource: Resource<S>;
      readonly old: Resource<S>;
      readonly bookmark: string;
    }
  | { readonly kind: 'destroyed'; readonly resource: Resource<S>; readonly bookmark: string }
  /** The watched resource does not exist (first event of a watch of one resource). */
  | { readonly kind: 'absent'; readonly pointer: Pointer; readonly bookmark: string }
  /** Everything that existed at the start was delivered. */
  | { readonly kind: 'bootstrapped'; readonly bookmark: string }
  | { readonly kind: 'noop'; readonly bookmark: string }
  /** The watcher was too slow; nothing follows. */
  | { readonly kind: 'errored'; readonly message: string };

/** A change as a collection keeps it. */
export type Change =
  | { readonly kind: 'created'; readonly resource: Resource }
  | { readonly kind: 'updated'; readonly resource: Resource; readonly old: Resource }
  | { readonly kind: 'destroyed'; readonly resource: Resource };
