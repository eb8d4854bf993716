import type { Clock } from '../../platform/clock.ts';
import { Bug } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Random } from '../../platform/random.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import type { Change } from '../event.ts';
import { controllerFailed } from '../events.ts';
import type { Pointer } from '../metadata.ts';
import type { ResourceKind } from '../resource.ts';
import type { State } from '../state.ts';
import { RestartBackoff } from './backoff.ts';
import type { Input, Output } from './controller.ts';
import { failureText, isDefect } from './failure.ts';

export interface QueueInput {
  readonly kind: ResourceKind<unknown>;
  readonly id?: string;
  readonly namespace?: string;
  /** primary: its resources are the items. mapped: `mapInput` names the items a change concerns. */
  readonly role: 'primary' | 'mapped' | 'mapped-destroy-ready';
}

/** An item is to be worked on again after a set time, which is no failure. */
export class RequeueLater extends Error {
  readonly afterUs: number;
  constructor(afterUs: number, message = 'requeue') {
    super(message);
    this.name = 'RequeueLater';
    this.afterUs = afterUs;
  }
}

/** A controller that works through single resources instead of passes over all (reference/controllers.md A.7). */
export interface QueueController {
  readonly name: string;
  readonly inputs: readonly QueueInput[];
  readonly outputs: readonly Output[];
  /** Items worked on at the same time. */
  readonly concurrency: number;
  reconcile(item: Pointer, state: State): Task<void>;
  /** Primary inputs that a change of a mapped input concerns. */
  mapInput(changed: Pointer, state: State): readonly Pointer[];
}

interface Item {
  readonly pointer: Pointer;
  readonly job: 'reconcile' | 'map';
  releaseUs: number;
  order: number;
}

interface QueueServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onFailure: ((controller: string, error: string) => void) | undefined;
}

/** The queue of one controller: equal items are one, an item that is being worked on is taken up again afterwards. */
export class QueueRunner {
  readonly name: string;
  #controller: QueueController;
  #state: State;
  #services: QueueServices;
  #waiting = new Map<string, Item>();
  #onHold = new Map<string, boolean>();
  #backoffs = new Map<string, RestartBackoff>();
  #changed = new Notifier();
  #ordinal = 0;

  constructor(controller: QueueController, state: State, services: QueueServices) {
    this.name = controller.name;
    this.#controller = controller;
    this.#state = state;
    this.#services = services;
    for (const input of controller.inputs) {
      if (input.role !== 'primary') continue;
      for (const { metadata } of state.list(input.kind, undefined, input.namespace))
        this.#put(metadata, 'reconcile', 0);
    }
  }

  /** For the runtime: a declared input changed. */
  changed(change: Change, input: Input): void {
    const { namespace, type, id } = change.resource.metadata;
    const declared = this.#controller.inputs.find((candidate) => candidate.kind.type === input.kind.type);
    this.#put({ namespace, type, id }, declared?.role === 'primary' ? 'reconcile' : 'map', 0);
  }

  /** One worker. */
  *work(): Task<void> {
    for (;;) {
      const item = yield* this.#take();
      const key = keyOf(item.pointer, item.job);
      this.#onHold.set(key, false);
      try {
        if (item.job === 'map') this.#map(item.pointer);
        else yield* this.#controller.reconcile(item.pointer, this.#state);
        this.#backoffs.delete(key);
      } catch (error) {
        this.#failed(item, key, error);
      }
      const again = this.#onHold.get(key) === true;
      this.#onHold.delete(key);
      if (again) this.#put(item.pointer, item.job, 0);
    }
  }

  #map(changed: Pointer): void {
    for (const pointer of this.#controller.mapInput(changed, this.#state)) {
      const primary = this.#controller.inputs.some(
        (input) => input.role === 'primary' && input.kind.type === pointer.type,
      );
      if (!primary) throw new Bug(`${this.name} mapped to ${pointer.type}, which is not a primary input`);
      this.#put(pointer, 'reconcile', 0);
    }
  }

  #failed(item: Item, key: string, error: unknown): void {
    if (error instanceof RequeueLater) {
      this.#put(item.pointer, item.job, error.afterUs);
      return;
    }
    if (isDefect(error)) throw error;
    let backoff = this.#backoffs.get(key);
    if (backoff === undefined) {
      backoff = new RestartBackoff(this.#services.random.stream(`backoff/${this.name}/${key}`));
      this.#backoffs.set(key, backoff);
    }
    const pauseUs = backoff.nextUs();
    const text = failureText(this.name, error);
    this.#services.log.event(controllerFailed, { controller: this.name, error: text, pauseUs });
    this.#services.onFailure?.(this.name, text);
    this.#put(item.pointer, item.job, pauseUs);
  }

  #put(pointer: Pointer, job: Item['job'], afterUs: number): void {
    const key = keyOf(pointer, job);
    if (this.#onHold.has(key) && afterUs === 0) {
      this.#onHold.set(key, true);
      return;
    }
    const releaseUs = this.#services.clock.monotonicUs() + afterUs;
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) {
      this.#waiting.set(key, { pointer, job, releaseUs, order: this.#ordinal++ });
    } else {
      waiting.releaseUs = Math.min(waiting.releaseUs, releaseUs);
    }
    this.#changed.notify();
  }

  *#take(): Task<Item> {
    for (;;) {
      const seen = this.#changed.version;
      const first = this.#first();
      if (first === undefined) {
        yield* this.#changed.changed(seen);
        continue;
      }
      const waitUs = first.releaseUs - this.#services.clock.monotonicUs();
      if (waitUs <= 0) {
        this.#waiting.delete(keyOf(first.pointer, first.job));
        return first;
      }
      const timer = this.#services.clock.after(waitUs, () => this.#changed.notify());
      try {
        yield* this.#changed.changed(seen);
      } finally {
        timer.cancel();
      }
    }
  }

  /** Earliest release that is not on hold; first come, first served among equals. */
  #first(): Item | undefined {
    let best: Item | undefined;
    for (const [key, item] of this.#waiting) {
      if (this.#onHold.has(key)) continue;
      const earlier = best === undefined || item.releaseUs < best.releaseUs;
      if (earlier || (item.releaseUs === best?.releaseUs && item.order < best.order)) best = item;
    }
    return best;
  }
}

function keyOf(pointer: Pointer, job: Item['job']): string {
  return `${job}:${pointer.namespace}/${pointer.type}/${pointer.id}`;
}
