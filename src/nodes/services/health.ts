import { isDefect } from '../../cosi/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { timeout } from '../../platform/combinators.ts';
import type { Task } from '../../platform/task.ts';
import { errorText } from '../errors.ts';
import type { ServiceHealth } from './states.ts';

export interface HealthSettings {
  readonly initialDelayUs: number;
  readonly periodUs: number;
  readonly timeoutUs: number;
  /** The probe cannot fail once it has succeeded, so it is not repeated: it would only cost events. */
  readonly once?: boolean;
}

export const DEFAULT_HEALTH: HealthSettings = Object.freeze({
  initialDelayUs: 1_000_000,
  periodUs: 5_000_000,
  timeoutUs: 500_000,
});

/** Health of one service: one failing probe makes it unhealthy, one good one healthy. */
export class Health {
  #clock: Clock;
  #onFlip: (health: ServiceHealth) => void;
  #current: ServiceHealth;

  constructor(clock: Clock, onFlip: (health: ServiceHealth) => void) {
    this.#clock = clock;
    this.#onFlip = onFlip;
    this.#current = unknownHealth(clock);
  }

  get current(): ServiceHealth {
    return this.#current;
  }

  reset(): void {
    this.#current = unknownHealth(this.#clock);
  }

  /** The service does not run (any more). */
  down(): void {
    this.#current = {
      unknown: false,
      healthy: false,
      lastMessage: 'service not running',
      lastChangeUs: this.#clock.nowUs(),
    };
  }

  update(healthy: boolean, message: string): void {
    const flipped = this.#current.unknown || this.#current.healthy !== healthy;
    if (!flipped) return;
    this.#current = { unknown: false, healthy, lastMessage: message, lastChangeUs: this.#clock.nowUs() };
    this.#onFlip(this.#current);
  }
}

function unknownHealth(clock: Clock): ServiceHealth {
  return { unknown: true, healthy: false, lastMessage: 'Unknown', lastChangeUs: clock.nowUs() };
}

/**
 * Probes for ever: once after the initial delay and then on a ticker that started with it; ticks during a slow probe
 * are one (reference/corrections.md 1a-4, 17).
 */
export function* probe(clock: Clock, settings: HealthSettings, check: () => Task<void>, health: Health): Task<void> {
  yield* clock.sleep(settings.initialDelayUs);
  const startUs = clock.monotonicUs();
  for (let tick = 0; ; ) {
    try {
      yield* timeout(clock, settings.timeoutUs, check(), 'health check');
      health.update(true, '');
      if (settings.once === true) return;
    } catch (error) {
      if (isDefect(error)) throw error;
      health.update(
        false,
        error instanceof Error && error.name === 'TimeoutError' ? 'context deadline exceeded' : errorText(error),
      );
    }
    const passed = Math.floor((clock.monotonicUs() - startUs) / settings.periodUs);
    // A tick that fell into the probe waits in the ticker's channel and fires at once.
    if (passed > tick) {
      tick = passed;
      continue;
    }
    tick = passed + 1;
    yield* clock.sleep(startUs + tick * settings.periodUs - clock.monotonicUs());
  }
}
