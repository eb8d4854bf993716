import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import type { Container, ContainerInfo, ContainerSpec, ExitStatus, Signal } from '../../platform/containers.ts';
import { LineBuffer, LineCutter } from '../../platform/lines.ts';
import { Once } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import type { HostExecutor } from '../executor.ts';
import { EVENTS_DESCRIPTOR } from './launch.ts';

const SIGNAL_BASE = 128;

/** A child process as containerd's clients see it. */
export class HostContainer implements Container {
  /** Set once the program runs (or has ended before it could). */
  readonly started = new Once<void>();
  readonly #spec: ContainerSpec;
  readonly #child: ChildProcess;
  readonly #startedAtUs: number;
  readonly #lines = new LineBuffer();
  readonly #exit = new Once<ExitStatus>();
  #paused = false;

  /** `onEvent` gets the lines of JSON that the program logs. */
  constructor(
    spec: ContainerSpec,
    child: ChildProcess,
    executor: HostExecutor,
    startedAtUs: number,
    onEvent: (line: string) => void,
  ) {
    this.#spec = spec;
    this.#child = child;
    this.#startedAtUs = startedAtUs;
    const print = (line: string): void => this.#lines.add(line);
    read(child.stdout, executor, print);
    read(child.stderr, executor, print);
    read(child.stdio[EVENTS_DESCRIPTOR] as Readable | null, executor, (line) => {
      if (line === '') this.started.set();
      else onEvent(line);
    });
    child.on('error', (error) => executor.enter(() => this.#ended({ code: 127 }, error.message)));
    child.on('close', (code, signal) => executor.enter(() => this.#ended(statusOf(code, signal))));
  }

  get running(): boolean {
    return !this.#exit.isSet;
  }

  get info(): ContainerInfo {
    const exit = this.#exit.peek();
    return {
      id: this.#spec.id,
      namespace: this.#spec.namespace,
      image: this.#spec.image,
      pid: this.#child.pid ?? 0,
      state: exit !== undefined ? 'exited' : this.#paused ? 'paused' : 'running',
      startedAtUs: this.#startedAtUs,
      ...(this.#spec.labels !== undefined && { labels: this.#spec.labels }),
      ...(exit === undefined ? {} : { exit }),
    };
  }

  wait(): Task<ExitStatus> {
    return this.#exit.get();
  }

  signal(signal: Signal): void {
    if (!this.running) return;
    this.#child.kill(signal);
    if (signal === 'SIGSTOP') this.#paused = true;
    if (signal === 'SIGCONT') this.#paused = false;
  }

  logTail(count: number): readonly string[] {
    return this.#lines.tail(count);
  }

  onLog(listener: (line: string) => void): () => void {
    return this.#lines.listen(listener);
  }

  #ended(status: ExitStatus, problem?: string): void {
    if (problem !== undefined) this.#lines.add(problem);
    this.#exit.set(status);
    this.started.set();
  }
}

function read(pipe: Readable | null | undefined, executor: HostExecutor, onLine: (line: string) => void): void {
  if (pipe === null || pipe === undefined) return;
  const cutter = new LineCutter(onLine);
  pipe.setEncoding('utf8');
  pipe.on('data', (text: string) => executor.enter(() => cutter.feed(text)));
  pipe.on('end', () => executor.enter(() => cutter.end()));
}

function statusOf(code: number | null, signal: NodeJS.Signals | null): ExitStatus {
  if (signal === null) return { code: code ?? 0 };
  return { code: SIGNAL_BASE + constants.signals[signal], signal: signal as Signal };
}
