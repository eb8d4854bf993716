import { eventKind } from '../platform/log.ts';

/** Somebody broke something on purpose; `id` pairs it with its end. */
export const faultInjected = eventKind<{
  readonly id: number;
  readonly fault: string;
  readonly machines: readonly string[];
  readonly detail: string;
}>('world.fault.injected');
/** A disk was replaced by an empty one of its size; `system` tells whether Talos had been installed on it. */
export const diskBlanked = eventKind<{ readonly disk: string; readonly system: boolean }>('world.disk.blanked');
/** A key has another value in the etcd database of this machine only; `found` is false when it does not hold the key. */
export const etcdAltered = eventKind<{ readonly key: string; readonly found: boolean }>('world.etcd.altered');
export const faultEnded = eventKind<{ readonly id: number; readonly fault: string }>('world.fault.ended');
