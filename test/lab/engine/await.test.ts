import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/lab/engine/engine.ts';
import type { AwaitStep } from '../../../src/lab/scenario/model.ts';
import { OperatorShell } from '../../../src/lab/tools/shell.ts';
import { Workspace } from '../../../src/lab/tools/workspace.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { World } from '../../../src/world/world.ts';
import { TinyWorld } from '../../rpc/tiny-world.ts';

const SILENT = { onCommand: () => {}, onOutput: () => {}, onStep: () => {} };

/** What a run of one `await` of a command that prints `text` and then hangs complains of. */
function complaintOf(text: string): readonly string[] {
  const tiny = new TinyWorld();
  const hangs = {
    name: 'hangs',
    *run(_words: readonly string[], { out, platform }: { out: (text: string) => void; platform: Platform }) {
      out(text);
      yield* platform.clock.sleep(3_600_000_000);
      return 0;
    },
  };
  const shell = new OperatorShell([hangs as never], new Workspace(() => undefined), 'v1.11.3');
  const world = { simulation: { nowUs: 0 } } as World;
  const engine = new Engine(world, shell, { clock: tiny.clock, scope: tiny.root } as unknown as Platform, SILENT);
  const step = { kind: 'await', line: 'hangs', words: ['hangs'], withinUs: 10_000_000, place: { line: 7 } };
  tiny.run(() => engine.run([step as unknown as AwaitStep]));
  return engine.problems;
}

describe('await of a command that does not end', () => {
  it('says what it printed last', () => {
    expect(
      complaintOf('waiting for etcd: ...\nwaiting for etcd: OK\nwaiting for nodes: ...\n\nnot yet: cp-3\n'),
    ).toEqual([
      'line 7: await hangs: not within 10s: the command did not end; it printed: waiting for etcd: OK / waiting for nodes: ... / not yet: cp-3',
    ]);
    expect(complaintOf('')).toEqual(['line 7: await hangs: not within 10s: the command did not end']);
  });
});
