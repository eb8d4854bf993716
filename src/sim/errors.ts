/** An error of our own code stopped the run: not a result, but something to fix. Exit code 70. */
export class SimulationBug extends Error {
  readonly seed: string;
  /** Simulation time at which it happened. */
  readonly atUs: number;
  /** Stable path of the task or callback that threw. */
  readonly path: string;

  constructor(seed: string, atUs: number, path: string, error: unknown) {
    const inner = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    super(`our own bug in ${path} at ${atUs} us with seed ${seed}: ${inner}`);
    this.name = 'SimulationBug';
    this.seed = seed;
    this.atUs = atUs;
    this.path = path;
    this.cause = error;
    if (error instanceof Error && error.stack !== undefined) {
      this.stack = `${this.name}: ${this.message}\n${error.stack}`;
    }
  }
}

/** Too much happened without time passing. */
export class LivelockError extends Error {
  /** Who did most of it lately. */
  readonly path: string;
  readonly atUs: number;

  constructor(seed: string, atUs: number, limit: number, path: string, share: string) {
    super(`livelock: more than ${limit} events at ${atUs} us with seed ${seed}, lately by ${path} (${share})`);
    this.name = 'LivelockError';
    this.path = path;
    this.atUs = atUs;
  }
}

/** A source of time, chance or concurrency outside the simulation was touched while it advanced. */
export class AmbientAccess extends Error {
  constructor(what: string) {
    super(`${what} was used while a simulation advanced: ask the Platform instead`);
    this.name = 'AmbientAccess';
  }
}
