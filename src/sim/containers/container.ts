import type { Container, ContainerInfo, ContainerSpec, ExitStatus, Signal } from '../../platform/containers.ts';
import type { Task } from '../../platform/task.ts';
import type { Gate } from '../gate.ts';
import type { SimProcess } from '../kernel/process.ts';

/** One container: the process that its image runs, as containerd's clients see it. */
export class SimContainer implements Container {
  readonly process: SimProcess;
  readonly #spec: ContainerSpec;
  readonly #caller: Gate;

  /** `caller` is the gate of the process that asked for it. */
  constructor(spec: ContainerSpec, process: SimProcess, caller: Gate) {
    this.#spec = spec;
    this.process = process;
    this.#caller = caller;
  }

  get running(): boolean {
    return this.process.state !== 'exited';
  }

  get info(): ContainerInfo {
    const exit = this.process.exit.peek();
    return {
      id: this.#spec.id,
      namespace: this.#spec.namespace,
      image: this.#spec.image,
      pid: this.process.pid,
      state: this.process.state,
      startedAtUs: this.process.startedAtUs,
      ...(this.#spec.labels !== undefined && { labels: this.#spec.labels }),
      ...(exit === undefined ? {} : { exit }),
    };
  }

  wait(): Task<ExitStatus> {
    return this.process.exit.get();
  }

  signal(signal: Signal): void {
    this.process.signal(signal);
  }

  logTail(count: number): readonly string[] {
    return this.process.lines.tail(count);
  }

  onLog(listener: (line: string) => void): () => void {
    return this.process.lines.listen((line) => this.#caller.dispatch(() => listener(line)));
  }
}
