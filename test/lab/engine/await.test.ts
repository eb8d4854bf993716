import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/lab/engine/engine.ts';
import { planOf } from '../../../src/lab/engine/variant.ts';
import type { AwaitStep, CommandStep, MistakeSpec, Scenario, Step } from '../../../src/lab/scenario/model.ts';
import { OperatorShell } from '../../../src/lab/tools/shell.ts';
import { Workspace } from '../../../src/lab/tools/workspace.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { World } from '../../../src/world/world.ts';
import { TinyWorld } from '../../rpc/tiny-world.ts';

interface Ports {
  readonly out: (text: string) => void;
  readonly platform: Platform;
}

const PLACE = { line: 7, column: 1 };
const COMMON = { background: false, place: PLACE, everyUs: 2_000_000 };
const TELL: CommandStep = { kind: 'run', id: 'tell', line: 'tell', words: ['tell'], exit: 0, ...COMMON };

/** Runs one step with tools of its own; what it complains of, and the commands that were begun, each with its second. */
function perform(step: Step, tools: readonly object[]) {
  const tiny = new TinyWorld();
  const commands: string[] = [];
  const shell = new OperatorShell(tools as never, new Workspace(() => undefined), 'v1.11.3');
  const world = { simulation: { nowUs: 0 } } as World;
  const platform = { clock: tiny.clock, scope: tiny.root } as unknown as Platform;
  const engine = new Engine(world, shell, platform, {
    onCommand: (line) => commands.push(`${line} ${tiny.clock.monotonicUs() / 1e6}`),
    onOutput: () => {},
    onStep: () => {},
  });
  tiny.run(() => engine.run([step]));
  return { problems: engine.problems, commands };
}

/** A command that prints `text` and then hangs. */
function hangs(name: string, text: string) {
  return {
    name,
    *run(_words: readonly string[], { out, platform }: Ports) {
      out(text);
      yield* platform.clock.sleep(3_600_000_000);
      return 0;
    },
  };
}

function awaiting(line: string, more: Partial<AwaitStep> = {}): AwaitStep {
  return { kind: 'await', line, words: [line], withinUs: 10_000_000, again: [], ...COMMON, ...more };
}

describe('await of a command that does not end', () => {
  it('says what it printed last', () => {
    const text = 'waiting for etcd: ...\nwaiting for etcd: OK\nwaiting for nodes: ...\n\nnot yet: cp-3\n';
    expect(perform(awaiting('hangs'), [hangs('hangs', text)]).problems).toEqual([
      'line 7: await hangs: not within 10s: the command did not end; it printed: waiting for etcd: OK / waiting for nodes: ... / not yet: cp-3',
    ]);
    expect(perform(awaiting('hangs'), [hangs('hangs', '')]).problems).toEqual([
      'line 7: await hangs: not within 10s: the command did not end',
    ]);
  });
});

describe('await with again', () => {
  it('gives the earlier command once more whenever the time is over, also when that hangs, and looks again', () => {
    let told = 0;
    const tell = {
      name: 'tell',
      *run(words: readonly string[], ports: Ports) {
        told++;
        return told === 1 ? yield* hangs('tell', '').run(words, ports) : 1;
      },
    };
    const look = {
      name: 'look',
      *run(words: readonly string[], ports: Ports) {
        return told < 2 ? yield* hangs('look', '').run(words, ports) : 0;
      },
    };
    const { problems, commands } = perform(awaiting('look', { again: [TELL] }), [look, tell]);
    expect(problems).toEqual([]);
    expect(commands).toEqual(['look 0', 'tell 2', 'tell 6']);
  });

  it('counts from when the earlier command was given, where that runs beside it', () => {
    const tools = ['look', 'tell'].map((name) => ({
      name,
      *run(_words: readonly string[], { platform }: Ports) {
        yield* platform.clock.sleep(500_000);
        return name === 'tell' ? 0 : 1;
      },
    }));
    const later = { ...TELL, atUs: 5_000_000 };
    const beside = { kind: 'parallel', steps: [later, awaiting('look', { again: [later] })], ...COMMON } as Step;
    // Given from 5 to 5.5 s, and again two seconds later; then the wait is over.
    expect(perform(beside, tools).commands).toEqual(['look 0', 'tell 5', 'tell 7.5']);
  });

  it('leaves out what a mistake skips', () => {
    const step = awaiting('look', { again: [TELL, { ...TELL, id: 'other' }] });
    const mistake = { skips: ['tell'], violates: [], steps: [] } as unknown as MistakeSpec;
    const [planned] = planOf({ steps: [step], violates: [] } as unknown as Scenario, mistake).steps;
    expect((planned as AwaitStep).again.map(({ id }) => id)).toEqual(['other']);
    const instead = { ...mistake, before: 'tell', steps: [step] } as MistakeSpec;
    expect(planOf({ steps: [TELL], violates: [] } as unknown as Scenario, instead).steps).toEqual([step]);
  });
});
