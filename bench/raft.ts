import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MemoryStorage, type Message, type NodeId, nodeId, RawNode, Role } from '../src/raft/index.ts';
import type { Figure } from './figure.ts';

const DATA = new Uint8Array(16);
/** etcd's own limits. */
const LIMITS = { maxSizePerMsgBytes: 512 * 1024, maxInflightMsgs: 512, maxUncommittedSizeBytes: 1 << 30 };

/** Nodes that hand their messages to each other by reference, with a storage that keeps everything in memory. */
class InMemoryCluster {
  readonly nodes: RawNode[] = [];
  readonly storages: MemoryStorage[] = [];
  private readonly places = new Map<NodeId, number>();
  private queue: Message[] = [];
  messages = 0;
  committed = 0;

  constructor(size: number) {
    const voters = Array.from({ length: size }, (_, i) => nodeId(i + 1));
    const confState = { voters, learners: [], votersOutgoing: [], learnersNext: [], autoLeave: false };
    for (const [i, id] of voters.entries()) {
      const storage = new MemoryStorage('3.6');
      storage.applySnapshot({ index: 1, term: 1, confState, data: null });
      this.places.set(id, i);
      this.storages.push(storage);
      this.nodes.push(
        new RawNode({
          ...LIMITS,
          id,
          storage,
          electionTick: 10,
          heartbeatTick: 1,
          electionJitter: () => i,
          preVote: true,
          checkQuorum: true,
          behaviour: '3.6',
        }),
      );
    }
    this.leader.campaign();
    this.settle();
    if (this.leader.basicStatus().role !== Role.Leader) throw new Error('the first node should lead');
  }

  get leader(): RawNode {
    return this.nodes[0]!;
  }

  /** Until nobody has anything to do. */
  settle(): void {
    for (let busy = true; busy; ) {
      busy = false;
      for (let i = 0; i < this.nodes.length; i++) {
        const node = this.nodes[i]!;
        while (node.hasReady()) {
          busy = true;
          this.handleReady(node, this.storages[i]!, i === 0);
        }
      }
      const { queue } = this;
      this.queue = [];
      this.messages += queue.length;
      for (const message of queue) this.nodes[this.places.get(message.to)!]!.step(message);
    }
  }

  private handleReady(node: RawNode, storage: MemoryStorage, leads: boolean): void {
    const ready = node.ready();
    if (ready.hardState !== null) storage.setHardState(ready.hardState);
    storage.append(ready.entries);
    const { messages } = ready;
    for (let i = 0; i < messages.length; i++) this.queue.push(messages[i]!);
    if (leads) this.committed += ready.committedEntries.length;
    node.advance();
  }

  /** Drops all but the last entries of every log. */
  compact(keep: number): void {
    for (const [i, storage] of this.storages.entries()) {
      const to = this.nodes[i]!.basicStatus().applied - keep;
      if (to >= storage.firstIndex()) storage.compact(to);
    }
  }
}

/** Seconds that this process has computed, helpers of the collector included: what others do to the clock is left out. */
function seconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Rounds between two looks at the clock, which costs about as much as one of them. */
const STRIDE = 64;

/**
 * How many rounds of `run` fit into a second of one core, after a warm-up: the best of five windows, since whatever
 * else the machine does, to the caches say, can only make it slower.
 */
function rate(run: () => void): number {
  const windowS = 0.3;
  let best = 0;
  for (let window = 0; window < 6; window++) {
    const start = seconds();
    let rounds = 0;
    for (; seconds() - start < windowS; rounds += STRIDE) for (let i = 0; i < STRIDE; i++) run();
    if (window > 0) best = Math.max(best, rounds / (seconds() - start));
  }
  return best;
}

function batched(cluster: InMemoryCluster): () => void {
  const batch = Array.from({ length: 100 }, () => DATA);
  let rounds = 0;
  return () => {
    cluster.leader.proposeBatch(batch);
    cluster.settle();
    if (++rounds % 100 === 0) cluster.compact(10_000);
  };
}

function alone(cluster: InMemoryCluster): () => void {
  let rounds = 0;
  return () => {
    cluster.leader.propose(DATA);
    cluster.settle();
    if (++rounds % 10_000 === 0) cluster.compact(10_000);
  };
}

function throughput(size: number): Figure[] {
  const of = `${size} nodes`;
  return [
    {
      name: `proposals committed, batched by 100, ${of}`,
      value: 100 * rate(batched(new InMemoryCluster(size))),
      unit: '1/s',
    },
    { name: `proposals committed, alone, ${of}`, value: rate(alone(new InMemoryCluster(size))), unit: '1/s' },
    { name: `heartbeat rounds, ${of}`, value: rate(heartbeats(new InMemoryCluster(size))), unit: '1/s' },
  ];
}

function heartbeats(cluster: InMemoryCluster): () => void {
  return () => {
    for (const node of cluster.nodes) node.tick();
    cluster.settle();
  };
}

/** What is left on the heap after a full collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** One follower's storage, since three nodes in one process share their entries. */
function memoryPerMillionEntries(): Figure {
  const storage = new MemoryStorage('3.6');
  const before = heapBytes();
  for (let index = 1; index <= 1_000_000; index++) {
    storage.append([{ term: 1, index, type: 0, typePresent: true, data: DATA }]);
  }
  const bytes = heapBytes() - before;
  if (storage.lastIndex() !== 1_000_000) throw new Error('the storage should hold a million entries');
  return { name: 'memory of 1,000,000 log entries, without their data', value: bytes / 1e6, unit: 'MB' };
}

/** Heap growth over the messages made in the meantime, where no collection came between. */
function bytesPerMessage(): Figure {
  const cluster = new InMemoryCluster(3);
  const run = alone(cluster);
  for (let i = 0; i < 20_000; i++) run();
  const samples: number[] = [];
  for (let i = 0; i < 101; i++) {
    const heap = process.memoryUsage().heapUsed;
    const sent = cluster.messages;
    for (let j = 0; j < 20; j++) run();
    samples.push((process.memoryUsage().heapUsed - heap) / (cluster.messages - sent));
  }
  const median = samples.filter((bytes) => bytes > 0).sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;
  return { name: 'bytes allocated per message, all else of a proposal included', value: median, unit: 'B' };
}

/**
 * Time per proposal with a long log, over time per proposal with a short one; 1 is "flat". Of each the best tenth of
 * three counts: collections of garbage, and whatever else the machine does, fall into some of them.
 */
function growth(entries: number): Figure[] {
  const cluster = new InMemoryCluster(3);
  const batch = Array.from({ length: 100 }, () => DATA);
  const keep = entries / 10;
  const slice = entries / 10;
  const times: number[] = [];
  for (let part = 0; part < 10; part++) {
    const start = seconds();
    for (let i = 0; i < slice; i += 100) {
      cluster.leader.proposeBatch(batch);
      cluster.settle();
      if (i % 10_000 === 0) cluster.compact(keep);
    }
    times.push((seconds() - start) / slice);
  }
  const of = `${entries / 1e6} million entries, the last tenth kept`;
  return [
    { name: `time per proposal, ${of}`, value: 1e9 * Math.min(...times), unit: 'ns' },
    {
      name: 'best of the last three tenths over best of the first three',
      value: Math.min(...times.slice(7)) / Math.min(...times.slice(0, 3)),
      unit: '',
    },
  ];
}

/** All figures; a minute's work at most. */
export function benchRaft(): Figure[] {
  return [...throughput(3), ...throughput(5), memoryPerMillionEntries(), bytesPerMessage(), ...growth(10_000_000)];
}
