import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { Session } from '../../src/lab/engine/session.ts';
import { finished } from '../../src/lab/engine/slices.ts';
import { planOf } from '../../src/lab/engine/variant.ts';
import type { ClusterSize } from '../../src/lab/scenario/cluster-of.ts';
import type { Step } from '../../src/lab/scenario/model.ts';
import { driveOperator } from '../../src/lab/shell/drive.ts';
import { faultOfWords } from '../../src/lab/shell/fault-words.ts';
import { COMMAND_LIMIT_US } from '../../src/lab/shell/session.ts';
import { splitWords } from '../../src/lab/shell/words.ts';
import type { CommandOutput } from '../../src/lab/tools/tool.ts';
import type { EventFields, EventKind } from '../../src/platform/log.ts';
import type { Task } from '../../src/platform/task.ts';
import { parseDurationUs } from '../../src/platform/text/duration.ts';
import { openCluster, openScenario } from '../../src/runner/scenario-file.ts';
import type { TraceEvent } from '../../src/sim/trace.ts';
import { FAULT_KINDS, type FaultKind } from '../../src/world/fault.ts';
import { ROOT } from '../e2e/run.ts';

export interface ClusterOptions {
  /** File of `scenarios/` without its ending; default `bring-up`. */
  readonly scenario?: string;
  /** A cluster by its size in place of a scenario file. */
  readonly size?: ClusterSize;
  readonly seed?: number;
  /** Work this mistake of the scenario in. */
  readonly mistake?: string;
  /** The last step to run, by its `id` (`waiting`, `ignite`, …); default: all steps. */
  readonly through?: string;
  /** Files that stand in for those beside the scenario: `{ 'patches/cp-1.yaml': '…' }`. */
  readonly files?: Readonly<Record<string, string>>;
}

/** An event of the trace with the fields of its kind. */
export interface Seen<F extends EventFields> {
  /** Simulated time. */
  readonly timeUs: number;
  /** Position among all events: smaller happened earlier, also within one instant. */
  readonly sequence: number;
  /** Machine (and program) that says so: `cp-1`, `cp-1/etcd`. */
  readonly source: string;
  readonly fields: F;
}

/**
 * A cluster that the tests of one file share, driven as the operator drives it. It is brought up before the first test
 * (about three seconds) and closed after the last. Time moves only inside these calls. Tests of a file run in order, and
 * see what earlier ones did.
 *
 *     const cluster = sharedCluster();
 *     it('…', () => expect(cluster.ok('talosctl -n 10.0.0.10 get members')).toContain('cp-1'));
 */
export function sharedCluster(options: ClusterOptions = {}): Cluster {
  const cluster = new Cluster(options);
  beforeAll(() => {
    cluster.session;
  });
  afterAll(() => cluster.close());
  return cluster;
}

export class Cluster {
  readonly #options: ClusterOptions;
  readonly #events: TraceEvent[] = [];
  #session: Session | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** Types one command line (`talosctl …`, `kubectl …`, `etcdctl …`, `export …`): exit code and what it printed. */
  type(line: string): CommandOutput {
    const words = wordsOf(line);
    const output = { exitCode: 0, stdout: '', stderr: '' };
    const { ended } = finished(
      driveOperator(
        this.session,
        function* (engine): Task<void> {
          output.exitCode = yield* engine.typed(words);
        },
        (text, stream) => {
          output[stream] += text;
        },
        COMMAND_LIMIT_US,
      ),
    );
    if (!ended) throw new Error(`${line}: did not end; it printed ${output.stdout}${output.stderr}`);
    return output;
  }

  /** Types lines in several terminals at the same moment: what each of them printed, when all have ended. */
  together(lines: readonly string[]): readonly CommandOutput[] {
    const { session } = this;
    const outputs = new Map<string, CommandOutput>();
    for (const line of lines) {
      const words = wordsOf(line);
      session.asOperator('terminal', function* (shell, platform): Task<void> {
        outputs.set(line, yield* shell.run(platform, words));
      });
    }
    session.world.simulation.runUntil(() => outputs.size === lines.length, { untilUs: this.nowUs + COMMAND_LIMIT_US });
    return lines.map((line) => {
      const output = outputs.get(line);
      if (output === undefined) throw new Error(`${line}: did not end`);
      return output;
    });
  }

  /** Types a line that must exit with 0: its standard output. */
  ok(line: string): string {
    const { exitCode, stdout, stderr } = this.type(line);
    expect(exitCode, `${line}\n${stderr}`).toBe(0);
    return stdout;
  }

  /** Types a line that must not exit with 0: its standard error. */
  refused(line: string): string {
    const { exitCode, stdout, stderr } = this.type(line);
    expect(exitCode, `${line}\n${stdout}`).not.toBe(0);
    return stderr;
  }

  /** Types a line every second until it exits with 0 and prints `wanted`, at most `within`: its standard output. */
  until(line: string, wanted: string | RegExp, within = '5m'): string {
    const deadlineUs = this.nowUs + durationUs(within);
    for (;;) {
      const { exitCode, stdout, stderr } = this.type(line);
      if (exitCode === 0 && (typeof wanted === 'string' ? stdout.includes(wanted) : wanted.test(stdout))) return stdout;
      if (this.nowUs > deadlineUs) throw new Error(`${line}: not within ${within}; last: ${stdout}${stderr}`);
      this.advance('1s');
    }
  }

  /** Lets time pass: `30s`, `5m`. */
  advance(duration: string): void {
    this.session.world.simulation.runFor(durationUs(duration));
  }

  /** A fault as typed in the shell: `power-off cp-1`, `partition cp-1,cp-2 cp-3`, `kill cp-1 etcd`, `heal`. */
  fault(line: string): void {
    const [kind = '', ...rest] = wordsOf(line);
    if (!(FAULT_KINDS as readonly string[]).includes(kind)) throw new Error(`${line}: no such fault`);
    const fault = faultOfWords(kind as FaultKind, rest);
    if (typeof fault === 'string') throw new Error(fault);
    this.session.world.apply(fault);
  }

  /** Puts a file on the workstation. */
  write(path: string, text: string): void {
    this.session.files.write(path, text);
  }

  /** A text file of the workstation. */
  read(path: string): string {
    const text = this.session.files.readText(path);
    if (text === undefined) throw new Error(`${path}: no such file on the workstation`);
    return text;
  }

  /** Every event of a kind so far, oldest first, of one machine or of all. Kinds stand in each layer's `events.ts`. */
  seen<F extends EventFields>(kind: EventKind<F>, machine?: string): Seen<F>[] {
    this.session;
    return this.#events.filter(
      (event) => event.kind === kind.name && (machine === undefined || event.source.split('/')[0] === machine),
    ) as unknown as Seen<F>[];
  }

  get nowUs(): number {
    return this.session.nowUs;
  }

  /** The running session, for what the calls above do not offer (`observer.view()`, `checkers.violations`). */
  get session(): Session {
    this.#session ??= this.#open();
    return this.#session;
  }

  close(): void {
    this.#session?.close();
    this.#session = undefined;
  }

  #open(): Session {
    const { scenario: name = 'bring-up', size, seed = 1, mistake, through, files = {} } = this.#options;
    const { scenario, deps } =
      size === undefined ? openScenario(join(ROOT, 'scenarios', `${name}.yaml`)) : openCluster(size);
    const session = new Session(
      scenario,
      { seed, digest: 'fast', strictWire: false },
      { ...deps, readFile: (path) => files[path] ?? deps.readFile(path) },
    );
    session.onEvent((event) => this.#events.push(event));
    session.world.powerOn();
    const plan = planOf(scenario, mistake === undefined ? undefined : named(scenario.mistakes, mistake));
    const { problems } = finished(
      driveOperator(
        session,
        (engine) => engine.run(upTo(plan.steps, through)),
        () => {},
      ),
    );
    if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`);
    return session;
  }
}

function upTo(steps: readonly Step[], id: string | undefined): readonly Step[] {
  if (id === undefined) return steps;
  const index = steps.findIndex((step) => step.id === id);
  if (index < 0) throw new Error(`no step is called ${id}`);
  return steps.slice(0, index + 1);
}

function named<T extends { readonly name: string }>(items: readonly T[], name: string): T {
  const found = items.find((item) => item.name === name);
  if (found === undefined) throw new Error(`nothing is called ${name}; there are ${items.map((item) => item.name)}`);
  return found;
}

function wordsOf(line: string): readonly string[] {
  const split = splitWords(line);
  if (split.error !== undefined) throw new Error(`${line}: ${split.error}`);
  return split.words;
}

function durationUs(text: string): number {
  const us = parseDurationUs(text);
  if (us === undefined) throw new Error(`${text}: not a duration`);
  return us;
}
