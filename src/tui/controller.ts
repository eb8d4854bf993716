import { Engine } from '../lab/engine/engine.ts';
import type { Session } from '../lab/engine/session.ts';
import { ShellSession } from '../lab/shell/session.ts';
import { clockText } from '../lab/view/clock-text.ts';
import { SECOND_US } from '../platform/clock.ts';
import type { Task } from '../platform/task.ts';
import type { Heal } from '../world/faults.ts';
import { KEY_BINDINGS } from './keys.ts';
import type { ScreenModel } from './model.ts';

const LOG_LINES = 500;
const SPEEDS: readonly number[] = Object.freeze([0.1, 0.5, 1, 2, 5, 10, 30, 60, 300]);
const STEP_LIMIT_US = 600 * SECOND_US;
/** At most: each binding takes a line or two. */
const HELP_LINES = KEY_BINDINGS.length * 2;
const STANDING = 'time stands still: space lets it run, ? shows the keys';

/** What the keys do to a session, without knowing of terminals: the screen shows `model()` after every call. */
export class LabController {
  readonly #session: Session;
  readonly #shell: ShellSession;
  readonly #seed: number;
  #log: string[] = [];
  #playing = false;
  #speedIndex = SPEEDS.indexOf(10);
  #selected = 0;
  #help: number | undefined;
  #prompt: string | undefined;
  #echo = '';
  #isolated = new Map<string, Heal>();
  #lines = 0;
  #stepsStarted = false;

  constructor(session: Session, seed: number) {
    this.#session = session;
    this.#seed = seed;
    this.#shell = new ShellSession(session, (text) => this.#append(text));
  }

  model(): ScreenModel {
    return {
      title: this.#session.scenario.name,
      seed: this.#seed,
      nowUs: this.#session.nowUs,
      playing: this.#playing,
      speed: SPEEDS[this.#speedIndex]!,
      view: this.#session.observer.view(),
      log: this.#log,
      selected: this.#selected,
      help: this.#help,
      prompt: this.#prompt,
      echo: this.#echo === '' && !this.#playing ? STANDING : this.#echo,
    };
  }

  get playing(): boolean {
    return this.#playing;
  }

  /** Lets simulated time pass for a stretch of real time. */
  tick(realMs: number): void {
    if (this.#playing) this.#session.world.simulation.runFor(Math.round(realMs * 1000 * SPEEDS[this.#speedIndex]!));
  }

  /** Takes one key. `quit` ends the screen. */
  key(input: string, name: KeyName | undefined): 'quit' | undefined {
    if (this.#prompt !== undefined) return this.#promptKey(input, name);
    if (input === 'q') return 'quit';
    // What was said of an earlier key is no longer news.
    this.#echo = '';
    if (this.#help !== undefined && this.#helpKey(input, name)) return undefined;
    if (input === '?') this.#help = 0;
    else if (input === ' ') this.#play();
    else if (input === '.') this.#step();
    else if (name === 'right') this.#session.world.simulation.runFor(SECOND_US);
    else if (input === '<' || input === ',') this.#speedIndex = Math.max(0, this.#speedIndex - 1);
    else if (input === '>') this.#speedIndex = Math.min(SPEEDS.length - 1, this.#speedIndex + 1);
    else if (name === 'up' || input === 'k') this.#select(-1);
    else if (name === 'down' || input === 'j') this.#select(1);
    else if (input === ':') this.#prompt = '';
    else this.#act(input);
    return undefined;
  }

  /** Keys that mean something else while the help is open; true when this is one. */
  #helpKey(input: string, name: KeyName | undefined): boolean {
    if (input === '?' || name === 'escape') this.#help = undefined;
    else if (name === 'up' || input === 'k') this.#help = Math.max(0, this.#help! - 1);
    else if (name === 'down' || input === 'j') this.#help = Math.min(HELP_LINES, this.#help! + 1);
    else return false;
    return true;
  }

  #play(): void {
    this.#playing = !this.#playing;
    if (this.#playing) this.#startSteps();
  }

  /** The scenario's own steps run beside what the person does; the bring-up needs somebody to type them. */
  #startSteps(): void {
    if (this.#stepsStarted) return;
    this.#stepsStarted = true;
    const session = this.#session;
    const append = (text: string): void => this.#append(text);
    session.asOperator('scenario', function* (shell, platform): Task<void> {
      const engine = new Engine(session.world, shell, platform, {
        onCommand: (line) => append(`${clockText(session.nowUs)}  $ ${line}\n`),
        onOutput: () => {},
        onStep: (report) => {
          if (report.problem !== undefined) append(`${clockText(report.endUs)}  ✕ ${report.text}: ${report.problem}\n`);
        },
      });
      yield* engine.run(session.scenario.steps);
      append(`${clockText(session.nowUs)}  the scenario has run\n`);
    });
  }

  /** On to the next line that a person would want to read. */
  #step(): void {
    this.#playing = false;
    this.#startSteps();
    const before = this.#lines;
    const { simulation } = this.#session.world;
    simulation.runUntil(() => this.#lines > before, { untilUs: simulation.nowUs + STEP_LIMIT_US });
  }

  #select(by: number): void {
    const count = this.#session.scenario.machines.length;
    this.#selected = (this.#selected + by + count) % count;
  }

  #act(input: string): void {
    const machine = this.#session.scenario.machines[this.#selected]!;
    const { world } = this.#session;
    switch (input) {
      case 'p': {
        const off = world.machine(machine.name).state === 'off';
        this.#enter(`${off ? 'power-on' : 'power-off'} ${machine.name}`);
        break;
      }
      case 'r':
        this.#enter(`talosctl reboot -n ${machine.address} --wait=false`);
        break;
      case 'b':
        this.#enter(`talosctl bootstrap -n ${machine.address} -e ${machine.address}`);
        break;
      case 'x':
        this.#isolate(machine.name);
        break;
    }
  }

  #isolate(name: string): void {
    const heal = this.#isolated.get(name);
    if (heal === undefined) {
      this.#isolated.set(name, this.#session.world.apply({ fault: 'isolate', machines: [name] }));
      this.#echo = `isolate ${name}`;
      return;
    }
    heal();
    this.#isolated.delete(name);
    this.#echo = `heal ${name}`;
  }

  #enter(line: string): void {
    if (line === '') return;
    this.#echo = line;
    this.#append(`${clockText(this.#session.nowUs)}  $ ${line}\n`);
    this.#shell.enter(line);
  }

  #promptKey(input: string, name: KeyName | undefined): 'quit' | undefined {
    if (name === 'escape') this.#prompt = undefined;
    else if (name === 'return') {
      const line = this.#prompt!.trim();
      this.#prompt = undefined;
      if (line === 'quit' || line === 'exit') return 'quit';
      if (line !== 'run') this.#enter(line);
      else if (!this.#playing) this.#play();
    } else if (name === 'backspace') this.#prompt = this.#prompt!.slice(0, -1);
    else if (name === undefined) this.#prompt += input;
    return undefined;
  }

  #append(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.#log.push(line);
    this.#lines++;
    if (this.#log.length > LOG_LINES * 2) this.#log = this.#log.slice(-LOG_LINES);
  }
}

export type KeyName = 'up' | 'down' | 'left' | 'right' | 'return' | 'escape' | 'backspace';
