import type { Clock, Timer } from '../../../platform/clock.ts';
import type { Disk } from '../../../platform/disk.ts';
import { DiskError, Fatal } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import { Notifier, Once } from '../../../platform/signal.ts';
import type { Task } from '../../../platform/task.ts';
import { type ConfState, EMPTY_CONF_STATE, type MemoryStorage, type Snapshot } from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import { Database } from '../backend/database.ts';
import { encodeImage } from '../backend/image.ts';
import type { RaftDriver } from '../raft/driver.ts';
import { purgeSnapshots, saveSnapshotFile } from '../snap/files.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import type { Wal } from '../wal/wal.ts';

/** The database file is rewritten when more than this and more than half of it is superseded. */
const GARBAGE_BYTES = 16 * 1024 * 1024;

export interface PersistenceOptions {
  readonly batchIntervalUs: number;
  readonly batchLimit: number;
  readonly snapshotCount: number;
  readonly memorySnapshotEvery: number;
  readonly catchupEntries: number;
  readonly maxSnapshots: number;
  readonly maxWals: number;
  readonly snapDirectory: string;
}

export interface PersistenceParts {
  readonly clock: Clock;
  readonly disk: Disk;
  readonly log: Log;
  readonly state: ReplicatedState;
  readonly wal: Wal;
  readonly storage: MemoryStorage;
}

/**
 * Makes the replicated state durable: commits of what changed every 100 ms or 10,000 changes, snapshots that let the log
 * be cut, rewriting of the file. One task does it all, one thing after another.
 */
export class Persistence {
  readonly #parts: PersistenceParts;
  readonly #options: PersistenceOptions;
  readonly #wake = new Notifier();
  #database: Database;
  #commitWanted = false;
  #jobs: (() => Task<void>)[] = [];
  #timer: Timer | null = null;
  #diskSnapshotIndex: number;
  #memorySnapshotIndex: number;
  #snapshotRunning = false;
  #isDefragmenting = false;
  /** Snapshots on their way to peers: the log they need is kept. */
  #inFlight = 0;
  #keepUntilUs = 0;
  /** What the last commit holds. */
  #committedIndex = 0;
  #committedTerm = 0;
  #committedConfState: ConfState = EMPTY_CONF_STATE;

  constructor(parts: PersistenceParts, database: Database, snapshotIndex: number, options: PersistenceOptions) {
    this.#parts = parts;
    this.#database = database;
    this.#options = options;
    this.#diskSnapshotIndex = snapshotIndex;
    this.#memorySnapshotIndex = snapshotIndex;
    parts.state.pending.onChange = (count) => this.#onChange(count);
  }

  #onChange(count: number): void {
    if (count >= this.#options.batchLimit) this.#wantCommit();
    else if (this.#timer === null) this.#arm();
  }

  /** Apart from its caller: a function with a closure in it makes a record for that whenever it is called. */
  #arm(): void {
    this.#timer = this.#parts.clock.after(this.#options.batchIntervalUs, () => {
      this.#timer = null;
      this.#wantCommit();
    });
  }

  #wantCommit(): void {
    this.#commitWanted = true;
    this.#wake.notify();
  }

  /** Runs until the task is cancelled. An error of the disk ends the process, as etcd's does. */
  *run(): Task<never> {
    for (;;) {
      const seen = this.#wake.version;
      while (this.#jobs.length > 0) yield* this.#jobs.shift()!();
      if (this.#commitWanted) yield* this.#commit();
      else yield* this.#wake.changed(seen);
    }
  }

  /** Runs a job in turn and waits for it. */
  *do(job: () => Task<void>): Task<void> {
    const done = new Once<true>();
    this.#jobs.push(function* () {
      yield* job();
      done.set(true);
    });
    this.#wake.notify();
    yield* done.get();
  }

  /** Waits until everything applied so far is in the database. */
  flush(): Task<void> {
    return this.do(() => this.#commit());
  }

  *#commit(): Task<void> {
    const { state } = this.#parts;
    this.#commitWanted = false;
    this.#timer?.cancel();
    this.#timer = null;
    this.#committedIndex = state.consistentIndex;
    this.#committedTerm = state.consistentTerm;
    this.#committedConfState = state.confState;
    const frame = state.pending.take(state.consistentIndex, state.consistentTerm);
    yield* orFatal('failed to commit tx', this.#database.commit(frame));
    const live = state.store.liveBytes;
    const garbage = this.#database.sizeBytes - live;
    if (garbage > GARBAGE_BYTES && garbage > live) yield* this.#rewrite();
  }

  *#rewrite(): Task<void> {
    const { state } = this.#parts;
    this.#committedIndex = state.consistentIndex;
    this.#committedTerm = state.consistentTerm;
    this.#committedConfState = state.confState;
    state.pending.clear();
    yield* orFatal('failed to rewrite the database', this.#database.replace(encodeImage(state.export())));
  }

  /** Gives unused space back. */
  *defragment(): Task<void> {
    this.#isDefragmenting = true;
    try {
      yield* this.do(() => this.#rewrite());
      this.#parts.state.size.defragment();
    } finally {
      this.#isDefragmenting = false;
    }
  }

  get isDefragmenting(): boolean {
    return this.#isDefragmenting;
  }

  /** After a batch was applied: makes snapshots when it is time. */
  afterApply(index: number, driver: RaftDriver): void {
    const { memorySnapshotEvery, snapshotCount } = this.#options;
    // After a restart the database may be ahead of what the log has handed out again: the two would not fit together.
    if (index < this.#parts.state.consistentIndex) return;
    if (memorySnapshotEvery > 0 && index - this.#memorySnapshotIndex > memorySnapshotEvery) {
      this.#snapshotInMemory(index, this.#parts.state.confState);
    }
    if (index - this.#diskSnapshotIndex <= snapshotCount || this.#snapshotRunning) return;
    this.#snapshotRunning = true;
    this.#jobs.push(() => this.#snapshotToDisk(driver));
    this.#wake.notify();
  }

  /** A snapshot on its way to a peer keeps the entries that the peer will need next. */
  snapshotStarted(): void {
    this.#inFlight++;
  }

  snapshotEnded(): void {
    this.#inFlight--;
    this.#keepUntilUs = this.#parts.clock.monotonicUs() + 30_000_000;
  }

  get snapshotsInFlight(): number {
    return this.#inFlight;
  }

  #snapshotInMemory(index: number, confState: ConfState): void {
    const { storage, clock } = this.#parts;
    const made = storage.createSnapshot(index, confState, null);
    if (typeof made === 'string') return;
    this.#memorySnapshotIndex = index;
    if (this.#inFlight > 0 || clock.monotonicUs() < this.#keepUntilUs) return;
    const cut = index - this.#options.catchupEntries;
    if (cut >= storage.firstIndex()) storage.compact(cut);
  }

  /**
   * The database first, then the snapshot's file, then its mark in the log, and only then the log may be cut. The mark is
   * the log's to write; nothing here waits for it, since the log may be waiting for this task.
   */
  *#snapshotToDisk(driver: RaftDriver): Task<void> {
    const { disk } = this.#parts;
    yield* this.#commit();
    // What was committed; more may have been applied meanwhile.
    const index = this.#committedIndex;
    const confState = this.#committedConfState;
    const snapshot: Snapshot = { index, term: this.#committedTerm, confState, data: null };
    if (this.#memorySnapshotIndex < index) this.#snapshotInMemory(index, confState);
    yield* orFatal('failed to save snapshot', saveSnapshotFile(disk, this.#options.snapDirectory, snapshot));
    driver.markSnapshot({ index, term: snapshot.term }, confState, () => {
      this.#jobs.push(() => this.#afterMark(index));
      this.#wake.notify();
    });
  }

  *#afterMark(index: number): Task<void> {
    const { state, disk, log, wal } = this.#parts;
    const { snapDirectory, maxSnapshots, maxWals } = this.#options;
    this.#diskSnapshotIndex = Math.max(this.#diskSnapshotIndex, index);
    this.#snapshotRunning = false;
    log.event(EtcdEvent.SnapshotSaved, { memberId: state.options.memberId, index });
    const oldest = yield* orFatal('failed to purge files', purgeSnapshots(disk, snapDirectory, maxSnapshots, index));
    state.forgetRefusals(oldest);
    yield* orFatal('failed to purge files', wal.release(index, maxWals));
  }

  /**
   * A received image, durable under its own name, takes the database's place. `load` puts its content into memory in the
   * same breath, so that no change of the old state can follow it into the file.
   */
  *install(imagePath: string, databasePath: string, snapshotIndex: number, load: () => void): Task<void> {
    const { disk } = this.#parts;
    const self = this;
    function* replace(): Task<void> {
      self.#database.close();
      yield* disk.rename(imagePath, databasePath);
      yield* disk.syncDirectory(self.#options.snapDirectory);
      const size = (yield* disk.stat(databasePath))!.sizeBytes;
      self.#database = yield* Database.open(disk, databasePath, size);
      load();
      self.#commitWanted = false;
    }
    yield* this.do(() => orFatal('failed to open snapshot database', replace()));
    this.#diskSnapshotIndex = Math.max(this.#diskSnapshotIndex, snapshotIndex);
    this.#memorySnapshotIndex = snapshotIndex;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#parts.state.pending.onChange = null;
  }
}

/** An error of the disk becomes the end of the process. */
export function* orFatal<T>(what: string, task: Task<T>): Task<T> {
  try {
    return yield* task;
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    throw new Fatal(`${what}: ${error.message}`);
  }
}
