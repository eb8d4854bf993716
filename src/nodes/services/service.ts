import { isDefect } from '../../cosi/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { race } from '../../platform/combinators.ts';
import { type Notifier, Once } from '../../platform/signal.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { capitalised, errorText } from '../errors.ts';
import { type Condition, waitForAll } from './condition.ts';
import { Health, type HealthSettings, probe } from './health.ts';
import type { Runner } from './runner.ts';
import { EVENTS_KEPT, isDown, type ServiceEvent, type ServiceHealth, type ServiceState } from './states.ts';

/** What a service is made of. */
export interface ServiceDefinition {
  readonly id: string;
  readonly dependsOn?: readonly string[];
  /** Volumes that must be mounted, with their own texts. */
  readonly volumes?: () => readonly Condition[];
  readonly conditions?: () => readonly Condition[];
  /** Runs before the process exists; failing ends the service as Failed. */
  readonly preStart?: () => Task<void>;
  readonly createRunner: () => Runner;
  /** Runs after the runner ended, if it was created. */
  readonly postStop?: (state: ServiceState) => Task<void>;
  readonly health?: { readonly settings: HealthSettings; readonly check: () => Task<void> };
  /** What `talosctl service <id>` may ask for. */
  readonly viaApi?: { readonly start?: boolean; readonly stop?: boolean; readonly restart?: boolean };
}

/** What a service needs of its manager. */
export interface ServiceHost {
  readonly clock: Clock;
  readonly scope: TaskScope;
  /** Fires when a condition of any service may have come true. */
  readonly changed: Notifier;
  /** Condition that another service is up. */
  isUp(id: string): Condition;
  /** Every change of state or health. */
  onEvent(service: Service, event: ServiceEvent, health: ServiceHealth): void;
}

/** One service: its state, its last events, and the run that is going on (reference/lifecycle-api-cli.md B.1). */
export class Service {
  readonly definition: ServiceDefinition;
  #host: ServiceHost;
  #state: ServiceState = 'Initialized';
  #events: ServiceEvent[] = [];
  #health: Health;
  #stop: Once<void> | undefined;
  #wasUp = false;
  #timesUp = 0;

  constructor(definition: ServiceDefinition, host: ServiceHost) {
    this.definition = definition;
    this.#host = host;
    this.#health = new Health(host.clock, (health) => this.#healthFlipped(health));
  }

  get id(): string {
    return this.definition.id;
  }

  get state(): ServiceState {
    return this.#state;
  }

  get events(): readonly ServiceEvent[] {
    return this.#events;
  }

  get health(): ServiceHealth {
    return this.#health.current;
  }

  /** A run is going on. */
  get active(): boolean {
    return this.#stop !== undefined;
  }

  /** Skipped or Finished, or Running and healthy where health is checked (reference/v1.11.3.md 3). */
  get up(): boolean {
    if (this.#state === 'Skipped' || this.#state === 'Finished') return true;
    return this.#state === 'Running' && (this.definition.health === undefined || this.#health.current.healthy);
  }

  /** How often it has come up: who waits for that sees it also when it was for an instant only. */
  get timesUp(): number {
    return this.#timesUp;
  }

  /** Begins a run unless one is going on. */
  start(): void {
    if (this.active) return;
    const stop = new Once<void>();
    this.#stop = stop;
    this.#health.reset();
    this.#host.scope.spawn(this.id, () => this.#run(stop));
  }

  /** Ends the run that is going on; see {@link waitUntilDown}. */
  requestStop(): void {
    this.#stop?.set();
  }

  waitUntilDown(): Task<void> {
    return this.#host.changed.until(() => !this.active && (isDown(this.#state) || this.#state === 'Initialized'));
  }

  /** Overrides the state from outside: Bootstrap marks the etcd it stopped as Finished. */
  force(state: ServiceState, message: string): void {
    this.#setState(state, message);
  }

  *#run(stop: Once<void>): Task<void> {
    try {
      this.#setState('Starting', 'Starting service');
      yield* this.#guarded('Condition failed', this.#waitForConditions(), stop);
      this.#setState('Preparing', 'Running pre state');
      const { preStart } = this.definition;
      if (preStart !== undefined) yield* this.#guarded('Failed to run pre stage', preStart(), stop);
      this.#setState('Preparing', 'Creating service runner');
      yield* this.#runRunner(stop);
      this.#finish('Finished', 'Service finished successfully');
    } catch (error) {
      if (isDefect(error)) throw error;
      this.#finish('Failed', capitalised(errorText(error)));
    }
  }

  #finish(state: ServiceState, message: string): void {
    this.#stop = undefined;
    this.#setState(state, message);
  }

  #waitForConditions(): Task<void> {
    const { dependsOn = [], volumes, conditions } = this.definition;
    const all = [...(volumes?.() ?? []), ...dependsOn.map((id) => this.#host.isUp(id)), ...(conditions?.() ?? [])];
    const { clock, changed } = this.#host;
    return waitForAll(clock, changed, all, (text) => this.#setState('Waiting', `Waiting for ${text}`));
  }

  /** Runs a step that a stop cuts short; both a stop and a failure end the service as Failed. */
  *#guarded(what: string, step: Task<void>, stop: Once<void>): Task<void> {
    const done = (function* (): Task<'done'> {
      yield* step;
      return 'done';
    })();
    const cut = (function* (): Task<'cut'> {
      yield* stop.get();
      return 'cut';
    })();
    let how: 'done' | 'cut';
    try {
      how = yield* race<'done' | 'cut'>({ step: done, stop: cut });
    } catch (error) {
      if (isDefect(error)) throw error;
      throw new StepFailed(`${what}: ${errorText(error)}`);
    }
    if (how === 'cut') throw new StepFailed(`${what}: context canceled`);
  }

  *#runRunner(stop: Once<void>): Task<void> {
    const { definition } = this;
    const runner = definition.createRunner();
    const scope = this.#host.scope.child(`${this.id}/probe`);
    let probing = false;
    try {
      yield* runner.run((state, message) => {
        this.#setState(state, message);
        if (probing || state !== 'Running' || definition.health === undefined) return;
        probing = true;
        const { settings, check } = definition.health;
        scope.spawn('probe', () => probe(this.#host.clock, settings, check, this.#health));
      }, stop);
    } finally {
      scope.cancel();
    }
    if (definition.postStop !== undefined) yield* definition.postStop(this.#state);
  }

  #healthFlipped(health: ServiceHealth): void {
    if (this.#state !== 'Running') return;
    this.#record(health.healthy ? 'Health check successful' : `Health check failed: ${health.lastMessage}`, health);
  }

  #setState(state: ServiceState, message: string): void {
    const left = this.#state === 'Running' && state !== 'Running';
    this.#state = state;
    if (left) this.#health.down();
    // An event that says Running never carries what is known from before (reference/v1.11.3.md 3).
    const shown = { ...this.#health.current, unknown: true, healthy: false };
    this.#record(message, shown);
  }

  #record(message: string, health: ServiceHealth): void {
    if (this.up && !this.#wasUp) this.#timesUp++;
    this.#wasUp = this.up;
    const event: ServiceEvent = { state: this.#state, message, atUs: this.#host.clock.nowUs() };
    this.#events = [...this.#events.slice(-(EVENTS_KEPT - 1)), event];
    this.#host.onEvent(this, event, health);
    this.#host.changed.notify();
  }
}

class StepFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StepFailed';
  }
}
