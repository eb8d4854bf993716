import type { Task } from '../../platform/task.ts';
import type { ResourceKind } from '../resource.ts';
import type { ControllerContext } from './context.ts';

/**
 * weak: wakes and may be read. strong: also its finalizers may be changed. destroy-ready: wakes only when the resource
 * is tearing down and has no finalizer left (reference/controllers.md A.5).
 */
export type InputMode = 'weak' | 'strong' | 'destroy-ready';

export interface Input {
  readonly kind: ResourceKind<unknown>;
  /** Only this resource; default all of the kind. */
  readonly id?: string;
  readonly namespace?: string;
  readonly mode: InputMode;
}

/** exclusive: no other controller writes this type. shared: each writes only what it owns. */
export type OutputMode = 'exclusive' | 'shared';

export interface Output {
  readonly kind: ResourceKind<unknown>;
  readonly mode: OutputMode;
}

export interface Controller {
  /** `<area>.<Name>Controller`; the owner of what it writes. */
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  /**
   * Runs until the machine stops: waits for wake-ups with `context.wakeUp()`. An error ends this run; the runtime
   * starts another one after a pause. Returning ends the controller for good.
   */
  run(context: ControllerContext): Task<void>;
}

/** The common form of a controller: one pass for each wake-up, the restart pause forgotten after each good one. */
export interface PassController {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  pass(context: ControllerContext): Task<void> | undefined;
}

export function passController(definition: PassController): Controller {
  return {
    name: definition.name,
    inputs: definition.inputs,
    outputs: definition.outputs,
    *run(context) {
      for (;;) {
        yield* context.wakeUp();
        const task = definition.pass(context);
        if (task !== undefined) yield* task;
        context.resetRestartBackoff();
      }
    },
  };
}

export function weak(kind: ResourceKind<unknown>, id?: string, namespace?: string): Input {
  return input(kind, 'weak', id, namespace);
}

export function strong(kind: ResourceKind<unknown>, id?: string, namespace?: string): Input {
  return input(kind, 'strong', id, namespace);
}

export function destroyReady(kind: ResourceKind<unknown>, id?: string, namespace?: string): Input {
  return input(kind, 'destroy-ready', id, namespace);
}

function input(kind: ResourceKind<unknown>, mode: InputMode, id?: string, namespace?: string): Input {
  return { kind, mode, ...(id === undefined ? {} : { id }), ...(namespace === undefined ? {} : { namespace }) };
}

export function exclusive(kind: ResourceKind<unknown>): Output {
  return { kind, mode: 'exclusive' };
}

export function shared(kind: ResourceKind<unknown>): Output {
  return { kind, mode: 'shared' };
}
