import seedrandom from 'seedrandom';
import type { Member } from '../../../src/api/etcd/cluster.ts';
import type { EtcdClient } from '../../../src/etcd/client/client.ts';
import type { Task } from '../../../src/platform/task.ts';
import { outcome } from './execute.ts';

/** A change of membership; members are named by the URLs that they were added with, for ids depend on the time. */
export interface Change {
  readonly kind: 'add' | 'remove' | 'update' | 'promote' | 'list';
  readonly subject: string;
  readonly urls: readonly string[];
}

/** Draws changes of a cluster of one that keep it writable: whoever is added is a learner. */
export class ChangeSource {
  readonly #random: () => number;
  /** A URL that was removed is not used again: added in the same second it would give the same id. */
  #added = 0;

  constructor(seed: string) {
    this.#random = seedrandom.alea(seed);
  }

  next(): Change {
    const kind = this.#pick(['add', 'add', 'remove', 'update', 'promote', 'list'] as const);
    const known = (): string => url(Math.max(1, this.#added - this.#int(2)));
    if (kind !== 'add') return { kind, subject: known(), urls: [this.#pick([known(), url(++this.#added)])] };
    const fresh = url(++this.#added);
    const urls = this.#pick([[fresh], [fresh, url(++this.#added)], [known()], ['nonsense'], [], [`${fresh}/path`]]);
    return { kind, subject: '', urls };
  }

  #int(max: number): number {
    return Math.floor(this.#random() * (max + 1));
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#int(items.length - 1)]!;
  }
}

function url(n: number): string {
  return `http://127.0.66.77:${3000 + n}`;
}

/** Makes a change and tells what came of it, without ids. */
export function* change(client: EtcdClient, wanted: Change): Task<unknown> {
  const { members } = yield* client.memberList();
  const id = members.find(({ peerUrls }) => peerUrls.includes(wanted.subject))?.id ?? '00000000000000ff';
  return yield* outcome(() => make(client, wanted, id, members));
}

function* make(client: EtcdClient, { kind, urls }: Change, id: string, members: readonly Member[]): Task<unknown> {
  if (kind === 'add') {
    const answer = yield* client.memberAdd(urls, true);
    return { added: plain(answer.member!), members: answer.members.map(plain).sort() };
  }
  if (kind === 'remove') return (yield* client.memberRemove(id)).members.map(plain).sort();
  if (kind === 'update') return (yield* client.memberUpdate(id, urls)).members.map(plain).sort();
  if (kind === 'promote') return (yield* client.memberPromote(id)).members.map(plain).sort();
  return members.map(plain).sort();
}

function plain({ name, peerUrls, isLearner }: Member): string {
  const urls = peerUrls.map((text) => text.replace(/127\.0\.66\.[12]:2380/, 'SELF'));
  return `${name} ${urls.join(',')}${isLearner ? ' learner' : ''}`;
}
