import { isDefect } from '../../cosi/index.ts';
import { all, timeout } from '../../platform/combinators.ts';
import { TaskCancelled, TimeoutError } from '../../platform/errors.ts';
import type { Task, TaskHandle } from '../../platform/task.ts';
import { formatDurationUs } from '../../platform/text/duration.ts';
import { errorText, NodeError } from '../errors.ts';
import { phaseEvent, sequenceEvent } from '../events.ts';
import type { Machine } from '../machine.ts';
import type { SequenceErrorCode } from '../machine-events.ts';
import { type Phase, type SequenceName, type SequenceTask, TAKE_OVER } from './sequence.ts';

const TAKE_OVER_LIMIT_US = 60_000_000;

/** A sequence ended badly. */
export class SequenceFailed extends NodeError {
  readonly code: SequenceErrorCode;
  constructor(code: SequenceErrorCode, message: string) {
    super(message);
    this.name = 'SequenceFailed';
    this.code = code;
  }
}

interface Running {
  readonly name: SequenceName;
  readonly handle: TaskHandle<void>;
}

/** Runs sequences, one at a time (reference/lifecycle-api-cli.md A.1, A.4). */
export class Sequencer {
  #machine: Machine;
  #running: Running | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  get running(): SequenceName | undefined {
    return this.#running?.name;
  }

  /** Runs a sequence to its end. SequenceFailed: LOCKED when another one must not be replaced, else how it went wrong. */
  *run(
    name: SequenceName,
    phases: () => readonly Phase[],
    options: { readonly actorId?: string; readonly takeOver?: boolean } = {},
  ): Task<void> {
    const actorId = options.actorId ?? '';
    yield* this.#makeRoom(name, options.takeOver === true, actorId);
    const handle = this.#machine.scope.spawn(`sequence-${name}`, () => this.#body(name, phases(), actorId));
    this.#running = { name, handle };
    try {
      yield* handle.join();
    } catch (error) {
      if (isDefect(error)) throw error;
      const code = error instanceof TaskCancelled ? 'CANCELED' : 'FATAL';
      throw this.#failed(name, code, `sequence failed: ${errorText(error)}`, actorId);
    } finally {
      if (this.#running?.handle === handle) this.#running = undefined;
    }
  }

  *#makeRoom(name: SequenceName, takeOver: boolean, actorId: string): Task<void> {
    const current = this.#running;
    if (current === undefined) return;
    if (!takeOver && !TAKE_OVER[current.name].includes(name)) {
      throw this.#failed(name, 'LOCKED', 'sequence not started: locked', actorId);
    }
    current.handle.cancel();
    try {
      yield* timeout(this.#machine.platform.clock, TAKE_OVER_LIMIT_US, settled(current.handle));
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
      throw this.#failed(name, 'LOCKED', 'sequence not started: timeout acquiring lock', actorId);
    }
  }

  #failed(name: SequenceName, code: SequenceErrorCode, message: string, actorId: string): SequenceFailed {
    this.#machine.events.publish(
      { type: 'SequenceEvent', sequence: name, action: 'NOOP', error: { code, message } },
      actorId,
    );
    this.#machine.platform.log.event(sequenceEvent, { sequence: name, action: 'NOOP', error: message });
    return new SequenceFailed(code, message);
  }

  *#body(name: SequenceName, phases: readonly Phase[], actorId: string): Task<void> {
    const { kmsg, platform } = this.#machine;
    const startUs = platform.clock.monotonicUs();
    this.#announce(name, 'START', actorId);
    kmsg.talos(`${name} sequence: ${phases.length} phase(s)`);
    try {
      let number = 0;
      for (const phase of phases) {
        number++;
        if (phase.when !== undefined && !phase.when()) continue;
        yield* this.#phase(name, phase, `${number}/${phases.length}`, actorId);
      }
      kmsg.talos(`${name} sequence: done: ${formatDurationUs(platform.clock.monotonicUs() - startUs)}`);
    } finally {
      this.#announce(name, 'STOP', actorId);
    }
  }

  #announce(name: SequenceName, action: 'START' | 'STOP', actorId: string): void {
    this.#machine.events.publish({ type: 'SequenceEvent', sequence: name, action, error: null }, actorId);
    this.#machine.platform.log.event(sequenceEvent, { sequence: name, action, error: '' });
  }

  *#phase(sequence: SequenceName, phase: Phase, position: string, actorId: string): Task<void> {
    const { kmsg, platform, events } = this.#machine;
    const startUs = platform.clock.monotonicUs();
    kmsg.talos(`phase ${phase.name} (${position}): ${phase.tasks.length} tasks(s)`);
    const announce = (action: 'START' | 'STOP'): void => {
      events.publish({ type: 'PhaseEvent', phase: phase.name, action }, actorId);
      platform.log.event(phaseEvent, { sequence, phase: phase.name, action });
    };
    announce('START');
    try {
      const count = phase.tasks.length;
      yield* all(phase.tasks.map((task, index) => this.#task(task, `${index + 1}/${count}`, actorId)));
      const took = formatDurationUs(platform.clock.monotonicUs() - startUs);
      kmsg.talos(`phase ${phase.name} (${position}): done, ${took}`);
    } catch (error) {
      if (isDefect(error) || phase.tolerant !== true) throw error;
      kmsg.talos(`phase ${phase.name} (${position}): failed, ignored: ${errorText(error)}`);
    } finally {
      announce('STOP');
    }
  }

  *#task(task: SequenceTask, position: string, actorId: string): Task<void> {
    const { kmsg, platform, events } = this.#machine;
    const startUs = platform.clock.monotonicUs();
    events.publish({ type: 'TaskEvent', task: task.name, action: 'START' }, actorId);
    kmsg.talos(`task ${task.name} (${position}): starting`);
    try {
      yield* task.run();
      kmsg.talos(`task ${task.name} (${position}): done, ${formatDurationUs(platform.clock.monotonicUs() - startUs)}`);
    } catch (error) {
      if (isDefect(error)) throw error;
      kmsg.talos(`task ${task.name} (${position}): failed: ${errorText(error)}`);
      throw new NodeError(`error running phase: task ${position}: failed, ${errorText(error)}`);
    } finally {
      events.publish({ type: 'TaskEvent', task: task.name, action: 'STOP' }, actorId);
    }
  }
}

function* settled(handle: TaskHandle<void>): Task<void> {
  try {
    yield* handle.join();
  } catch (error) {
    if (isDefect(error)) throw error;
  }
}
