import type { Clock } from '../../platform/clock.ts';
import { TaskCancelled } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import type { Change } from '../event.ts';
import { controllerFailed, resourceWritten } from '../events.ts';
import type { Pointer } from '../metadata.ts';
import type { State } from '../state.ts';
import { RestartBackoff } from './backoff.ts';
import { ControllerContext } from './context.ts';
import type { Controller, Input } from './controller.ts';
import { failureText, isDefect } from './failure.ts';
import { type QueueController, QueueRunner } from './queue.ts';
import { type Dependency, Registry } from './registry.ts';

export interface RuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Controllers run as tasks below this scope. */
  readonly scope: TaskScope;
  /** Time from a wake-up to the pass it causes; wake-ups meanwhile are part of it. Default none. */
  readonly passDelayUs?: (controller: string) => number;
  /** Told of each failed run, beside the log. */
  readonly onFailure?: (controller: string, error: string) => void;
  /** Called before each pass and each write; what it throws happens there (Fatal: a panic). */
  readonly interrupt?: (controller: string, where: 'pass' | 'write', pointer: Pointer | undefined) => void;
}

/** A registered controller: coalesces wake-ups. */
class Slot {
  readonly name: string;
  readonly wake = new Notifier();
  pending = true;

  constructor(name: string) {
    this.name = name;
  }

  changed(_change: Change, _input: Input): void {
    this.trigger();
  }

  trigger(): void {
    if (this.pending) return;
    this.pending = true;
    this.wake.notify();
  }
}

/**
 * Runs controllers: each once at its start and then whenever a declared input changed, any number of changes being one
 * wake-up that carries no data. A run that fails is started again after a growing pause; state stays
 * (reference/controllers.md A.6). The order in which controllers run at one instant is the executor's.
 */
export class Runtime {
  readonly state: State;
  #options: RuntimeOptions;
  #registry = new Registry<Slot | QueueRunner>();
  #unlisten: () => void;

  constructor(state: State, options: RuntimeOptions) {
    this.state = state;
    this.#options = options;
    this.#unlisten = state.listen((change) => this.#changed(change));
  }

  /** AccessError when its declarations contradict those of others. */
  register(controller: Controller): void {
    const slot = new Slot(controller.name);
    this.#registry.addOutputs(controller.name, controller.outputs);
    this.#registry.setInputs(slot, controller.inputs);
    this.#options.scope.spawn(controller.name, () => this.#supervise(controller, slot));
  }

  /** Like {@link register}, for a controller that works through a queue of items. */
  registerQueue(controller: QueueController): void {
    const { clock, random, log, scope, onFailure } = this.#options;
    const runner = new QueueRunner(controller, this.state, { clock, random, log, onFailure });
    this.#registry.addOutputs(controller.name, controller.outputs);
    this.#registry.setInputs(
      runner,
      controller.inputs.map((input) => ({
        ...input,
        mode: input.role === 'mapped-destroy-ready' ? 'destroy-ready' : 'weak',
      })),
    );
    for (let worker = 0; worker < controller.concurrency; worker++) scope.spawn(controller.name, () => runner.work());
  }

  /** Who reads and writes what, as declared now, by controller. */
  dependencies(): readonly Dependency[] {
    return this.#registry.dependencies();
  }

  /** No wake-ups any more; the caller ends the scope. */
  stop(): void {
    this.#unlisten();
  }

  #changed(change: Change): void {
    const { type, id, version, owner } = change.resource.metadata;
    this.#options.log.event(resourceWritten, { verb: change.kind, type, id, version, owner });
    this.#registry.dependents(change, (subscriber, input) => subscriber.changed(change, input));
  }

  *#supervise(controller: Controller, slot: Slot): Task<void> {
    const backoff = new RestartBackoff(this.#options.random.stream(`backoff/${controller.name}`));
    for (;;) {
      const scope = this.#options.scope.child(`${controller.name}/run`);
      try {
        yield* controller.run(this.#context(controller, slot, scope, backoff));
        return;
      } catch (error) {
        if (error instanceof TaskCancelled) return;
        if (isDefect(error)) throw error;
        const pauseUs = backoff.nextUs();
        const text = failureText(controller.name, error);
        this.#options.log.event(controllerFailed, { controller: controller.name, error: text, pauseUs });
        this.#options.onFailure?.(controller.name, text);
        scope.cancel();
        yield* this.#options.clock.sleep(pauseUs);
        slot.trigger();
      } finally {
        scope.cancel();
      }
    }
  }

  #context(controller: Controller, slot: Slot, scope: TaskScope, backoff: RestartBackoff): ControllerContext {
    const { passDelayUs, interrupt, clock } = this.#options;
    this.#registry.setInputs(slot, controller.inputs);
    return new ControllerContext(
      controller.name,
      controller.inputs,
      controller.outputs,
      {
        state: this.state,
        scope,
        setInputs: (inputs: readonly Input[]) => this.#registry.setInputs(slot, inputs),
        beforeWrite: (_verb, pointer) => interrupt?.(controller.name, 'write', pointer),
        queueReconcile: () => slot.trigger(),
        *wakeUp(): Task<void> {
          while (!slot.pending) yield* slot.wake.changed();
          const delayUs = passDelayUs?.(controller.name) ?? 0;
          if (delayUs > 0) yield* clock.sleep(delayUs);
          slot.pending = false;
          interrupt?.(controller.name, 'pass', undefined);
        },
      },
      backoff,
    );
  }
}
