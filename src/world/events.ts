import { eventKind } from '../platform/log.ts';

/** Somebody broke something on purpose; `id` pairs it with its end. */
export const faultInjected = eventKind<{
  readonly id: number;
  readonly fault: string;
  readonly machines: readonly string[];
  readonly detail: string;
}>('world.fault.injected');
export const faultEnded = eventKind<{ readonly id: number; readonly fault: string }>('world.fault.ended');
