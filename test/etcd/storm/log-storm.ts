import { StartError } from '../../../src/etcd/server/start/errors.ts';
import { type RecoveredWal, recoverWal, walExists } from '../../../src/etcd/server/wal/recover.ts';
import { Wal } from '../../../src/etcd/server/wal/wal.ts';
import type { Process } from '../../../src/platform/containers.ts';
import type { Disk } from '../../../src/platform/disk.ts';
import { Fatal } from '../../../src/platform/errors.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Task } from '../../../src/platform/task.ts';
import { EMPTY_CONF_STATE, type Entry, type HardState } from '../../../src/raft/index.ts';
import { createSimRpc } from '../../../src/rpc/over-connections/rpc.ts';
import type { Station } from '../../../src/sim/machine/station.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import { Simulation } from '../../../src/sim/simulation.ts';
import type { Problem } from '../fire/checks.ts';
import { crashable } from '../fire/crash-points.ts';

const SECOND = 1_000_000;
const ROUNDS = 8;
const DIRECTORY = '/log';
const SEGMENT_BYTES = 2500;
const METADATA = Object.freeze({ memberId: '00000000000000a1', clusterId: '00000000000000c1' });

type Written =
  | { readonly kind: 'entry'; readonly index: number; readonly term: number; readonly sizeBytes: number }
  | { readonly kind: 'state'; readonly state: HardState }
  | { readonly kind: 'mark'; readonly index: number };

/**
 * A write-ahead log alone, that loses its power at any write or sync, again and again: what comes back is some beginning of
 * what was written, not shorter than what was promised.
 */
export function logStorm(seed: number): Problem | undefined {
  const storm = new LogStorm(seed);
  try {
    return storm.run();
  } finally {
    storm.close();
  }
}

class LogStorm {
  readonly #random: Random;
  readonly #sim: Simulation;
  readonly #station: Station;
  #problem: Problem | undefined;
  /** Every record of the log, those that it promised to keep first. */
  #written: Written[] = [];
  #promised = 0;
  /** Nothing at or below this is asked for any more. */
  #released = 0;
  #hardState: HardState = { term: 1, vote: METADATA.memberId, commit: 0 };
  #lastIndex = 0;
  #left = 0;

  constructor(seed: number) {
    this.#random = new KeyedRandom(String(seed + 1), 'log');
    this.#sim = new Simulation({
      seed: String(seed + 1),
      createRpc: (deps) => createSimRpc({ ...deps, strictWire: false }),
      images: () => undefined,
      digest: 'fast',
      notable: () => false,
    });
    this.#station = this.#sim.addStation({ name: 'm1', nics: [], addresses: [], memoryBytes: 1_000_000_000 });
    this.#station.disk.faults.crashMode = this.#random.chance(700_000) ? 'torn' : 'drop';
  }

  close(): void {
    this.#sim.close();
  }

  run(): Problem | undefined {
    for (let round = 0; round < ROUNDS && this.#problem === undefined; round++) this.#round();
    return this.#problem;
  }

  #round(): void {
    this.#left = this.#random.int(0, 60);
    let crashed = false;
    const decide = () => (this.#left-- > 0 ? 'go on' : this.#random.chance(500_000) ? 'crash before' : 'crash after');
    const crash = (): void => {
      crashed = true;
      this.#station.powerOff();
    };
    const body = (process: Process): Task<number> => this.#work(process.platform.disk);
    const process = this.#station.run({ name: 'log', program: crashable(body, 'm1', decide, crash) })!;
    this.#sim.runUntil(() => crashed || process.exit.isSet, { untilUs: this.#sim.nowUs + 60 * SECOND });
    if (!crashed) this.#station.powerOff();
    this.#sim.runFor(SECOND);
    this.#station.powerOn();
  }

  *#work(disk: Disk): Task<number> {
    const wal = yield* this.#open(disk);
    while (this.#problem === undefined && wal !== undefined) yield* this.#step(wal);
    return 0;
  }

  *#open(disk: Disk): Task<Wal | undefined> {
    if (!(yield* walExists(disk, DIRECTORY))) {
      if (this.#promised > 0) this.#blame('the log is gone');
      this.#written = [];
      this.#lastIndex = 0;
      return yield* Wal.create(disk, DIRECTORY, METADATA, SEGMENT_BYTES);
    }
    try {
      const recovered = yield* recoverWal(disk, DIRECTORY);
      if (!this.#takeBack(recovered)) return undefined;
      return yield* Wal.resume(disk, DIRECTORY, METADATA, recovered.position, SEGMENT_BYTES);
    } catch (error) {
      if (!(error instanceof Fatal || error instanceof StartError)) throw error;
      this.#blame(error.message);
      return undefined;
    }
  }

  /** Compares what came back with every beginning of what was written that keeps the promises. */
  #takeBack(recovered: RecoveredWal): boolean {
    const found = this.#describe(
      recovered.hardState,
      recovered.entries.map(({ index, term, data }) => ({ index, term, sizeBytes: (data as Uint8Array).length })),
      recovered.snapshots.map(({ index }) => index),
    );
    for (let count = this.#written.length; count >= this.#promised; count--) {
      if (this.#describeFirst(count) !== found) continue;
      this.#written.length = count;
      this.#promised = count;
      this.#hardState = recovered.hardState.term === 0 ? this.#hardState : recovered.hardState;
      this.#lastIndex = recovered.position.lastIndex;
      return true;
    }
    this.#blame(`what comes back is ${found}; promised was ${this.#describeFirst(this.#promised)}`);
    return false;
  }

  #describeFirst(count: number): string {
    let state: HardState = { term: 0, vote: '0000000000000000', commit: 0 };
    const entries = new Map<number, { index: number; term: number; sizeBytes: number }>();
    const marks: number[] = [];
    for (const one of this.#written.slice(0, count)) {
      if (one.kind === 'state') state = one.state;
      else if (one.kind === 'mark') marks.push(one.index);
      else {
        for (const index of [...entries.keys()]) if (index >= one.index) entries.delete(index);
        entries.set(one.index, one);
      }
    }
    return this.#describe(state, [...entries.values()], marks);
  }

  #describe(
    { term, vote, commit }: HardState,
    entries: readonly { readonly index: number; readonly term: number; readonly sizeBytes: number }[],
    marks: readonly number[],
  ): string {
    const asked = entries.filter(({ index }) => index > this.#released);
    const list = asked.map(({ index, term: of, sizeBytes }) => `${index}@${of}+${sizeBytes}`);
    const known = marks.filter((index) => index >= this.#released && index > 0);
    return `state ${term}/${vote}/${commit}, entries ${list.join(' ')}, snapshots ${known.join(' ')}`;
  }

  *#step(wal: Wal): Task<void> {
    const kind = this.#random.int(0, 99);
    if (kind < 60) yield* this.#save(wal, this.#lastIndex + 1, 0, this.#random.chance(300_000));
    else if (kind < 70) yield* this.#save(wal, this.#random.int(this.#released + 1, this.#lastIndex + 1), 1, true);
    else if (kind < 80) yield* this.#note(wal);
    else yield* this.#mark(wal);
  }

  /** Entries from an index on, in place of what is there; a new term is written down with them. */
  *#save(wal: Wal, from: number, terms: number, withState: boolean): Task<void> {
    const term = this.#hardState.term + terms;
    const entries = Array.from({ length: this.#random.int(1, 3) }, (_, i): Entry => {
      const data = new Uint8Array(this.#random.chance(300_000) ? this.#random.int(500, 2200) : 30).fill(from + i + 1);
      return { term, index: from + i, type: 0, typePresent: true, data };
    });
    for (const { index, data } of entries) {
      this.#written.push({ kind: 'entry', index, term, sizeBytes: (data as Uint8Array).length });
    }
    this.#lastIndex = from + entries.length - 1;
    if (withState) this.#newState({ term, commit: this.#released });
    yield* wal.save(withState ? this.#hardState : null, entries, true);
    this.#promised = this.#written.length;
  }

  /** Only that more is committed: nothing that has to last. */
  *#note(wal: Wal): Task<void> {
    this.#newState({ commit: this.#random.int(this.#released, this.#lastIndex) });
    yield* wal.save(this.#hardState, [], false);
  }

  /** A snapshot anywhere in the log, and what is before it goes. The log knows nothing of what is committed. */
  *#mark(wal: Wal): Task<void> {
    if (this.#lastIndex === 0) return;
    const index = this.#random.int(Math.max(1, this.#released), this.#lastIndex);
    this.#written.push({ kind: 'mark', index });
    // Nothing before it is written again, whatever becomes of the mark.
    this.#released = index;
    yield* wal.saveSnapshot({ index, term: this.#hardState.term }, EMPTY_CONF_STATE);
    this.#promised = this.#written.length;
    yield* wal.release(index, this.#random.int(1, 2));
  }

  #newState(change: Partial<HardState>): void {
    this.#hardState = { ...this.#hardState, ...change };
    this.#written.push({ kind: 'state', state: this.#hardState });
  }

  #blame(detail: string): void {
    this.#problem ??= { guarantee: 'the log comes back', detail, atUs: this.#sim.nowUs };
  }
}
