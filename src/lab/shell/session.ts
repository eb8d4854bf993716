import { SECOND_US } from '../../platform/clock.ts';
import type { Task } from '../../platform/task.ts';
import { formatDurationUs, parseDurationUs } from '../../platform/text/duration.ts';
import { FAULT_KINDS, type FaultKind } from '../../world/fault.ts';
import { adviceOn } from '../advice/advice.ts';
import type { Engine } from '../engine/engine.ts';
import { machinesText } from '../engine/report.ts';
import type { Session } from '../engine/session.ts';
import { finished, runInSlices, type Slices } from '../engine/slices.ts';
import { missingArgument, senselessFault, unknownDisk } from '../scenario/check.ts';
import { didYouMean } from '../scenario/problem.ts';
import { clockText } from '../view/clock-text.ts';
import { ChangeNarrator, narrate } from '../view/narrate.ts';
import { quorumText } from '../view/quorum.ts';
import { driveOperator } from './drive.ts';
import { faultOfWords } from './fault-words.ts';
import { SHELL_COMMANDS, type ShellCommand, shellHelp } from './help.ts';
import { splitWords } from './words.ts';

/** A typed command may take this long in simulated time before the prompt comes back. */
export const COMMAND_LIMIT_US = 1_800 * SECOND_US;

const ALIASES: Readonly<Record<string, ShellCommand>> = Object.freeze({ '?': 'help', exit: 'quit' });

export type LineOutcome = 'done' | 'failed' | 'quit';

/** An interactive session: one line at a time, the clock stands still between lines. */
export class ShellSession {
  readonly #session: Session;
  readonly #print: (text: string) => void;
  readonly #nodes = new ChangeNarrator();
  readonly #commands: Readonly<Record<ShellCommand, (rest: readonly string[]) => Slices<LineOutcome>>> = {
    advance: (rest) => this.#advance(rest),
    status: () => at(() => this.#show(machinesText(this.#session.observer.view()))),
    quorum: () => at(() => this.#show(quorumText(this.#session.observer.view().etcd.clusters))),
    lint: () => at(() => this.#lint()),
    violations: () => at(() => this.#violations()),
    run: () => this.runSteps(),
    help: () => at(() => this.#show(shellHelp(this.#session.toolNames))),
    quit: () => at(() => 'quit'),
  };

  constructor(session: Session, print: (text: string) => void) {
    this.#session = session;
    this.#print = print;
    session.onEvent((event) => {
      const line = narrate(event) ?? this.#nodes.tell(event);
      if (line !== undefined) print(`${clockText(event.timeUs)}  ${line}\n`);
    });
    session.world.powerOn();
  }

  greet(): void {
    const { scenario } = this.#session;
    const machines = scenario.machines.map((machine) => `${machine.name} ${machine.address}`).join(', ');
    this.#print(
      `${scenario.name}: ${machines}. Time moves only while a command runs or by "advance 30s"; "help" lists the rest.\n`,
    );
  }

  prompt(): string {
    return `[${clockText(this.#session.nowUs)}] $ `;
  }

  /** Runs the steps of the scenario. */
  *runSteps(): Slices<LineOutcome> {
    return yield* this.#drive((engine) => engine.run(this.#session.scenario.steps));
  }

  /** Takes one line. */
  enter(line: string): LineOutcome {
    return finished(this.entered(line));
  }

  /** {@link enter} for whoever must be interruptible: what is given up ends as by Ctrl-C, and the session goes on. */
  *entered(line: string): Slices<LineOutcome> {
    const split = splitWords(line);
    if (split.error !== undefined) return this.#complain(split.error);
    const [verb, ...rest] = split.words;
    if (verb === undefined) return 'done';
    const name = ALIASES[verb] ?? verb;
    if (isShellCommand(name)) return yield* this.#commands[name](rest);
    if ((FAULT_KINDS as readonly string[]).includes(verb)) return this.#fault(verb as FaultKind, rest);
    return yield* this.#command(line, split.words);
  }

  #show(text: string): LineOutcome {
    this.#print(text);
    return 'done';
  }

  #complain(text: string): LineOutcome {
    this.#print(`${text}\n`);
    return 'failed';
  }

  #lint(): LineOutcome {
    const advice = adviceOn(this.#session);
    this.#print(advice.length === 0 ? 'nothing to say\n' : advice.map((line) => `${line}\n`).join(''));
    return 'done';
  }

  #violations(): LineOutcome {
    const { violations } = this.#session.checkers;
    if (violations.length === 0) this.#print('no guarantee was broken so far\n');
    for (const violation of violations)
      this.#print(`${clockText(violation.atUs)}  ${violation.guarantee}: ${violation.detail}\n`);
    return 'done';
  }

  *#advance(words: readonly string[]): Slices<LineOutcome> {
    const us = parseDurationUs(words[0] ?? '');
    if (us === undefined || us < 0 || words.length !== 1)
      return this.#complain('advance: write a duration, such as advance 30s');
    const { simulation } = this.#session.world;
    yield* runInSlices(simulation, simulation.nowUs + us);
    return 'done';
  }

  *#command(line: string, words: readonly string[]): Slices<LineOutcome> {
    let exitCode = 0;
    const outcome = yield* this.#drive(function* (engine): Task<void> {
      exitCode = yield* engine.typed(words);
    }, COMMAND_LIMIT_US);
    if (outcome !== 'done') return outcome;
    if (exitCode !== 0) this.#print(`(${line.trim()} exited with ${exitCode})\n`);
    return exitCode === 0 ? 'done' : 'failed';
  }

  /** Runs something as the operator until it ends or the limit of simulated time is over. */
  *#drive(body: (engine: Engine) => Task<void>, limitUs?: number): Slices<LineOutcome> {
    const { ended, problems } = yield* driveOperator(this.#session, body, this.#print, limitUs);
    if (!ended && limitUs !== undefined)
      return this.#complain(`interrupted: it did not end within ${formatDurationUs(limitUs)} of simulated time`);
    for (const problem of problems) this.#print(`${problem}\n`);
    return problems.length === 0 ? 'done' : 'failed';
  }

  #fault(kind: FaultKind, words: readonly string[]): LineOutcome {
    const fault = faultOfWords(kind, words);
    if (typeof fault === 'string') return this.#complain(fault);
    const known = this.#session.scenario.machines.map((machine) => machine.name);
    for (const name of [...fault.machines, ...(fault.from ?? []), ...(fault.to ?? [])]) {
      if (known.includes(name)) continue;
      const near = didYouMean(name, known);
      return this.#complain(
        `${kind}: there is no machine "${name}"; ${near === undefined ? `there are ${known.join(', ')}` : `did you mean "${near}"?`}`,
      );
    }
    const noDisk = unknownDisk(fault, this.#session.scenario.machines);
    if (noDisk !== undefined) return this.#complain(`${kind}: ${noDisk}`);
    const missing = missingArgument(fault);
    if (missing !== undefined) return this.#complain(`${kind} needs ${missing.replaceAll('"', '')}`);
    const senseless = senselessFault(fault, this.#session.scenario);
    if (senseless !== undefined) return this.#complain(`${kind}: ${senseless}`);
    const absent = this.#session.world.faults.absent(fault);
    if (absent !== undefined) return this.#complain(`${kind}: ${absent}`);
    this.#session.world.apply(fault);
    return 'done';
  }
}

function isShellCommand(name: string): name is ShellCommand {
  return Object.hasOwn(SHELL_COMMANDS, name);
}

/** Work that is done at once. */
function* at(work: () => LineOutcome): Slices<LineOutcome> {
  return work();
}
