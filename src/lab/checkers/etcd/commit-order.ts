import { EtcdError } from '../../../api/etcd/errors.ts';
import { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import type { ApplyResult } from '../../../etcd/server/apply/applier.ts';
import type { DatabaseState } from '../../../etcd/server/backend/image.ts';
import type { ServerObserver } from '../../../etcd/server/observer.ts';
import { sameBytes } from '../../../platform/bytes.ts';
import type { Answer } from './model/answer.ts';
import { difference } from './model/difference.ts';
import { EtcdModel, type ModelOptions } from './model/model.ts';
import { sameContent } from './same-content.ts';

/** Reports that a guarantee, by its name, does not hold. */
export type Blame = (guarantee: string, detail: string) => void;

/** An entry of the log as it was first applied anywhere: from then on it is what has happened. */
export interface Committed {
  readonly index: number;
  readonly term: number;
  readonly request: InternalRaftRequest;
  readonly answer: Answer;
  /** Current revision after it. */
  readonly revision: number;
  /** True time at which it was first applied, in microseconds. */
  readonly atUs: number;
  /** It made that revision. */
  readonly changed: boolean;
  /** A client has been given its answer. */
  claimed: boolean;
}

export interface CommitOrderOptions extends ModelOptions {
  /** Entries that are remembered, for members that lag and for answers under way. */
  readonly keepEntries: number;
}

export const DEFAULT_LIMITS: CommitOrderOptions = Object.freeze({
  minLeaseTtlSec: 2,
  keepRevisions: 50_000,
  keepEntries: 20_000,
});

/**
 * The one order of writes that all members of a cluster agree on, as the simulation sees it: the first member that
 * applies an entry fixes it, every other one has to apply the same with the same result, and the result has to be what
 * the model says (reference/etcd.md F8). Memory is bounded by the options.
 */
export class CommitOrder implements ServerObserver {
  readonly #options: CommitOrderOptions;
  readonly #blame: Blame;
  readonly #nowUs: () => number;
  #model: EtcdModel;
  /** Index of the entry that the order begins after; what it begins with is in the model. */
  #base = 0;
  #baseRevision = 1;
  /** What it began with; undefined: nothing. */
  #content: DatabaseState | undefined;
  /** By index, without gaps in memory although indexes have some. */
  #entries: Committed[] = [];
  /** Where in `#entries`, counted from the first ever, each member goes on. */
  readonly #places = new Map<string, number>();
  #dropped = 0;
  /** Called with every entry when it is first applied, its effects being in the model. */
  onCommit: ((entry: Committed) => void) | undefined;

  constructor(blame: Blame, nowUs: () => number, options: CommitOrderOptions = DEFAULT_LIMITS) {
    this.#options = options;
    this.#blame = blame;
    this.#nowUs = nowUs;
    this.#model = new EtcdModel(options);
  }

  get model(): EtcdModel {
    return this.#model;
  }

  get nowUs(): number {
    return this.#nowUs();
  }

  /** Index of the last entry that was applied anywhere. */
  get position(): number {
    return this.#entries[this.#entries.length - 1]?.index ?? this.#base;
  }

  get revision(): number {
    return this.#model.revision;
  }

  applied(memberId: string, index: number, term: number, request: InternalRaftRequest, result: ApplyResult): void {
    const entry = index > this.position ? this.#append(index, term, request) : this.#known(memberId, index);
    if (entry === undefined) {
      if (index > this.#base && index >= (this.#entries[0]?.index ?? 0)) {
        this.#blame('members agree', `${memberId} applied entry ${index}, which no other member has there`);
      }
      return;
    }
    if (entry.term !== term || !sameRequest(entry.request, request)) {
      this.#blame('members agree', `${memberId} applied another request at entry ${index} (term ${term})`);
      return;
    }
    const found = isOverQuota(entry.answer, result) ? null : difference(entry.answer, result);
    if (found !== null) this.#blame('applied as specified', `entry ${index} on ${memberId} ${found}`);
  }

  /** A cluster is born anew. Its other members begin with the same. */
  begins(_memberId: string, _clusterId: string, content: DatabaseState): void {
    if (this.#content === undefined || !sameContent(this.#content, content)) this.#beginWith(content);
  }

  /** Reads are checked where clients are told their answers. */
  readBegins(): number {
    return 0;
  }

  read(): void {}

  snapshot(memberId: string, index: number): void {
    this.#places.set(memberId, this.#placeOf(index + 1) + this.#dropped);
  }

  /** The entry that made a main revision, if it is still remembered. */
  ofRevision(revision: number): Committed | undefined {
    const entry = this.#entries[this.#firstFrom('revision', revision)];
    return entry?.revision === revision && entry.changed ? entry : undefined;
  }

  /** Current revision after entry `index`; undefined when that is too long ago. */
  revisionAt(index: number): number | undefined {
    const place = this.#placeOf(index + 1);
    if (place > 0) return this.#entries[place - 1]!.revision;
    return this.#dropped === 0 && index >= this.#base ? this.#baseRevision : undefined;
  }

  /** Entries above `index`, the oldest first. */
  *after(index: number): Generator<Committed, void, undefined> {
    for (let i = this.#placeOf(index + 1); i < this.#entries.length; i++) yield this.#entries[i]!;
  }

  /** A cluster is born anew, with the content of a database: whatever was agreed before is over. */
  #beginWith(content: DatabaseState): void {
    this.#content = content;
    this.#model = EtcdModel.of(content, this.#options);
    this.#base = content.index;
    this.#baseRevision = this.#model.revision;
    this.#entries = [];
    this.#places.clear();
    this.#dropped = 0;
  }

  #append(index: number, term: number, request: InternalRaftRequest): Committed {
    const before = this.#model.revision;
    const answer = this.#model.apply(request);
    const { revision } = this.#model;
    const entry: Committed = {
      index,
      term,
      request,
      answer,
      revision,
      changed: revision !== before,
      atUs: this.#nowUs(),
      claimed: false,
    };
    this.#entries.push(entry);
    if (this.#entries.length > this.#options.keepEntries * 1.25) this.#drop();
    this.onCommit?.(entry);
    return entry;
  }

  #known(memberId: string, index: number): Committed | undefined {
    let place = (this.#places.get(memberId) ?? 0) - this.#dropped;
    if (this.#entries[place]?.index !== index) place = this.#placeOf(index);
    this.#places.set(memberId, place + 1 + this.#dropped);
    const entry = this.#entries[place];
    return entry?.index === index ? entry : undefined;
  }

  /** Place of the first entry at or above `index`. */
  #placeOf(index: number): number {
    return this.#firstFrom('index', index);
  }

  #firstFrom(by: 'index' | 'revision', least: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]![by] < least) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(): void {
    const count = this.#entries.length - this.#options.keepEntries;
    this.#entries = this.#entries.slice(count);
    this.#dropped += count;
  }
}

/** Whether two requests are one: the same object in a simulation without a wire, else the same bytes. */
export function sameRequest(a: InternalRaftRequest, b: InternalRaftRequest): boolean {
  if (a === b) return true;
  if (a.header?.id !== b.header?.id) return false;
  return sameBytes(InternalRaftRequest.encode(a), InternalRaftRequest.encode(b));
}

/**
 * A member whose own database is full executes the request all the same and answers that there is no room
 * (reference/etcd.md C7).
 */
function isOverQuota(answer: Answer, result: ApplyResult): boolean {
  return 'message' in result && result.message === EtcdError.NoSpace.message && answer.kind !== 'error';
}
