import type { Clock } from '../../platform/clock.ts';
import type { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';

/** Something a service waits for before it starts. */
export interface Condition {
  /** What follows "Waiting for" (reference/lifecycle-api-cli.md B.2). */
  describe(): string;
  met(): boolean;
}

const REFRESH_US = 1_000_000;

/**
 * Waits until all conditions hold. `tell` is called with all of them at the start and then with the unmet ones, at most once a second,
 * when the text has changed. `changed` must fire whenever a condition may have come true.
 */
export function* waitForAll(
  clock: Clock,
  changed: Notifier,
  conditions: readonly Condition[],
  tell: (text: string) => void,
): Task<void> {
  const unmet = (): readonly Condition[] => conditions.filter((condition) => !condition.met());
  const text = (list: readonly Condition[]): string => list.map((condition) => condition.describe()).join(', ');
  if (conditions.length === 0) return;
  let waiting = unmet();
  let told = text(conditions);
  tell(told);
  let refreshAtUs = clock.monotonicUs() + REFRESH_US;
  while (waiting.length > 0) {
    const seen = changed.version;
    const now = text(waiting);
    if (now === told) {
      yield* changed.changed(seen);
    } else if (clock.monotonicUs() >= refreshAtUs) {
      tell(now);
      told = now;
      refreshAtUs = clock.monotonicUs() + REFRESH_US;
    } else {
      yield* changedOrTime(clock, changed, seen, refreshAtUs);
    }
    waiting = unmet();
  }
}

function* changedOrTime(clock: Clock, changed: Notifier, seen: number, atUs: number): Task<void> {
  const timer = clock.after(atUs - clock.monotonicUs(), () => changed.notify());
  try {
    yield* changed.changed(seen);
  } finally {
    timer.cancel();
  }
}
