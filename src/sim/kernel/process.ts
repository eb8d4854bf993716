import type { ProcessNet } from '../../net/types.ts';
import { Channel } from '../../platform/channel.ts';
import type { ExitStatus, Process, Program, Signal } from '../../platform/containers.ts';
import { ExitProcess, Fatal } from '../../platform/errors.ts';
import { LineBuffer } from '../../platform/lines.ts';
import type { Net } from '../../platform/net.ts';
import type { Platform } from '../../platform/platform.ts';
import { Scope } from '../../platform/scope.ts';
import { Once } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { ProcessClock } from '../clock.ts';
import type { Namespace } from '../disk/namespace.ts';
import { processContinued, processExited, processPanicked, processStarted, processStopped } from '../events.ts';
import { Gate } from '../gate.ts';
import type { TraceLog } from '../trace.ts';
import type { Kernel } from './kernel.ts';
import { ProcessPlatform } from './process-platform.ts';

export interface ProcessSpec {
  /** Names the process in paths (with `#2` … when used again) and as the source of its events. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly namespace: Namespace;
  /** Pod network to live in; undefined for the machine's own. */
  readonly podAddress?: string;
  readonly program: Program;
  /** Builds what the program gets to see, from what every process has. */
  readonly extend?: (platform: ProcessPlatform, process: SimProcess) => Platform;
  /** Told after it ended, unless its kernel was gone first. */
  readonly onEnd?: (status: ExitStatus) => void;
}

const SIGNAL_NUMBERS: Readonly<Record<Signal, number>> = Object.freeze({
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGTERM: 15,
  SIGCONT: 18,
  SIGSTOP: 19,
});

/** Go's exit code of a panic. */
const PANIC_CODE = 2;

/** A process of a simulated kernel: one program with its tasks, timers, sockets and log. */
export class SimProcess {
  readonly kernel: Kernel;
  readonly pid: number;
  /** Stable path: `cp-1#2/etcd` is etcd in the second boot. */
  readonly path: string;
  readonly spec: ProcessSpec;
  readonly gate: Gate;
  readonly scope: Scope;
  readonly lines = new LineBuffer();
  /** Set when it ended, unless its kernel was gone first. */
  readonly exit = new Once<ExitStatus>();
  readonly startedAtUs: number;
  readonly log: TraceLog;
  readonly #net: ProcessNet<Net>;
  readonly #signals = new Channel<Signal>();
  #stopped = false;

  constructor(kernel: Kernel, pid: number, path: string, spec: ProcessSpec) {
    this.kernel = kernel;
    this.pid = pid;
    this.path = path;
    this.spec = spec;
    this.startedAtUs = kernel.clock.wallUs();
    this.gate = new Gate(kernel.engine, path, (error, where) => this.escaped(error, where));
    this.scope = new Scope(this.gate, path);
    this.log = kernel.log(spec.name, this.gate);
    this.#net = kernel.openNet(this, spec.podAddress);
  }

  get state(): 'running' | 'paused' | 'exited' {
    if (this.gate.closed) return 'exited';
    return this.#stopped ? 'paused' : 'running';
  }

  /** Sockets of this process. */
  get net(): Net {
    return this.#net.net;
  }

  start(): void {
    const base = new ProcessPlatform(this, new ProcessClock(this.kernel.clock, this.gate));
    const platform = this.spec.extend?.(base, this) ?? base;
    const process: Process = {
      argv: this.spec.argv,
      env: this.spec.env,
      platform,
      signals: this.#signals,
      print: (line) => this.lines.add(line),
    };
    this.log.event(processStarted, { pid: this.pid, argv: this.spec.argv });
    this.scope.spawn('main', () => this.#main(process));
  }

  *#main(process: Process): Task<void> {
    const code = yield* this.spec.program(process);
    this.#endSoon({ code });
  }

  /** An error escaped one of its tasks or callbacks: a modelled end, or our own bug. */
  escaped(error: unknown, where = this.path): void {
    if (error instanceof ExitProcess) this.#endSoon({ code: error.code });
    else if (error instanceof Fatal) {
      for (const line of `panic: ${error.message}`.split('\n')) this.lines.add(line);
      this.log.event(processPanicked, { pid: this.pid, text: error.message });
      this.#endSoon({ code: PANIC_CODE });
    } else this.kernel.engine.bug(where, error);
  }

  signal(signal: Signal): void {
    if (this.gate.closed) return;
    if (signal === 'SIGKILL') this.kill();
    else if (signal === 'SIGSTOP') this.#stop();
    else if (signal === 'SIGCONT') this.#continue();
    else this.#signals.offer(signal);
  }

  /** SIGKILL, from somebody or from a kernel that has no memory left. */
  kill(outOfMemory = false): void {
    const status: ExitStatus = { code: 128 + SIGNAL_NUMBERS.SIGKILL, signal: 'SIGKILL' };
    this.#endSoon(outOfMemory ? { ...status, outOfMemory } : status);
  }

  #stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.gate.pause();
    this.#net.stop();
    this.kernel.event(this.spec.name, processStopped, { pid: this.pid });
  }

  #continue(): void {
    if (!this.#stopped) return;
    this.#stopped = false;
    this.gate.resume();
    this.kernel.engine.slice(() => this.#net.continue());
    this.kernel.event(this.spec.name, processContinued, { pid: this.pid });
  }

  /** No code is ever stopped in the middle of a slice: the end comes when the current one is over. */
  #endSoon(status: ExitStatus): void {
    this.kernel.engine.boundary(() => this.#end(status));
  }

  #end(status: ExitStatus): void {
    if (this.gate.closed) return;
    this.vanish();
    this.#net.exit();
    this.#signals.close();
    this.kernel.forget(this);
    this.kernel.event(this.spec.name, processExited, {
      pid: this.pid,
      code: status.code,
      signal: status.signal ?? '',
      outOfMemory: status.outOfMemory ?? false,
    });
    this.exit.set(status);
    this.spec.onEnd?.(status);
  }

  /** With its kernel: no line of it runs any more and nobody is told. */
  vanish(): void {
    this.gate.close();
    this.scope.kill();
  }
}
