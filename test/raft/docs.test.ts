import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { type Data, type Message, Role } from '../../src/raft/index.ts';
import { node, work } from './twenty-lines.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
const PAGE = readFileSync(join(HERE, '../../docs/raft.md'), 'utf8');
const [host = '', use = ''] = [...PAGE.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1]!);

/** The example of docs/raft.md is a file of this folder, so that the compiler sees it, and runs here. */
describe('the twenty lines of docs/raft.md', () => {
  it('are those of twenty-lines.ts, and twenty', () => {
    const file = readFileSync(join(HERE, 'twenty-lines.ts'), 'utf8').replace('../../src/raft/index.ts', 'talosim/raft');
    const unfolded = file.replace(/^import \{[^}]*\}/, (list) => list.replace(/\s+/g, ' ').replace(', }', ' }'));
    expect(host).toBe(unfolded);
    expect(host.split('\n').filter((line) => line.trim() !== '')).toHaveLength(20);
  });

  it('elect a leader of one, and apply what it is asked to', () => {
    const sent: Message[] = [];
    const applied: Data[] = [];
    const send = (message: Message): unknown => sent.push(message);
    const apply = (data: Data): unknown => applied.push(data);
    runInNewContext(use, { node, work, send, apply, bytes: Uint8Array.of(1, 2, 3) });
    expect(node.basicStatus()).toMatchObject({ role: Role.Leader, term: 2, applied: 3 });
    expect(applied).toEqual([null, Uint8Array.of(1, 2, 3)]);
    expect(sent).toEqual([]);
  });
});
