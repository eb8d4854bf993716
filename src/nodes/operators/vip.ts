import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import type { Machine } from '../machine.ts';
import { NO_OUTPUTS, type Operator, type OperatorOutputs } from './operator.ts';

/** The shared address of control planes. */
export class VipOperator implements Operator {
  readonly prefix: string;
  #outputs: OperatorOutputs = NO_OUTPUTS;
  #wake = new Notifier();
  #stopping = false;

  constructor(_machine: Machine, link: string, _address: string) {
    this.prefix = `vip/${link}`;
  }

  outputs(): OperatorOutputs {
    return this.#outputs;
  }

  stop(): void {
    this.#stopping = true;
    this.#wake.notify();
  }

  *run(_notify: () => void): Task<void> {
    while (!this.#stopping) yield* this.#wake.changed();
  }
}
