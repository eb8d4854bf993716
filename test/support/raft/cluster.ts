import {
  type AnyConfChange,
  type ConfChangeTransition,
  type ConfChangeType,
  EMPTY_CONF_STATE,
  type Entry,
  EntryType,
  encodeConfChange,
  type Message,
  MessageType,
  NO_LIMIT,
  NONE,
  type NodeId,
  nodeId,
  type OpaqueData,
  Role,
} from '../../../src/raft/index.ts';
import { BLANK_IMAGE, imageOf } from './disk.ts';
import { Host, type Surroundings } from './host.ts';
import type { NodeNumber, Plan, PlanOptions, Step } from './plan.ts';
import { Refusal } from './spec/facts.ts';
import { membersAfter } from './spec/members.ts';
import { Spec } from './spec.ts';

const MAX_UNDER_WAY = 300;
const MAX_DELIVERIES = 20_000;
const MAX_REMEMBERED = 64;
const MAX_SNAPSHOTS = 4;
const NO_MESSAGE = Object.freeze({
  term: 0,
  logTerm: 0,
  index: 0,
  commit: 0,
  vote: NONE,
  snapshot: null,
  reject: false,
  rejectHint: 0,
  context: null,
  responses: [],
});

/** Nodes over a network that is a bag of messages; everything that happens is a step of the plan. */
export class Cluster implements Surroundings {
  readonly spec: Spec;
  readonly hosts: readonly Host[];
  readonly plan: Plan;
  readonly options: PlanOptions;
  readonly jitter = (electionTick: number): number => this.drawJitter(electionTick);
  /** Messages under way, oldest first. */
  underWay: Message[] = [];
  /** Messages that arrived, the latest last. */
  private arrived: Message[] = [];
  private snapshots: Message[] = [];
  /** Bit i set: node i+1 is on the other side of the cut. 0 is no cut. */
  private cut = 0;
  private draws = 0;
  private values = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.options = plan.options;
    const { options } = plan;
    this.spec = new Spec({
      electionTick: options.electionTick,
      checkQuorum: options.checkQuorum,
      preVote: options.preVote,
      safeReads: options.readOnly === 'safe',
      asyncStorage: options.asyncStorage,
      stepDownOnRemoval: options.stepDownOnRemoval,
      maxSizePerMsgBytes: options.maxSizePerMsgBytes,
      maxInflightMsgs: options.maxInflightMsgs,
      maxInflightBytes: options.maxInflightBytes || NO_LIMIT,
      maxUncommittedSizeBytes: options.maxUncommittedSizeBytes || NO_LIMIT,
      maxCommittedSizePerReadyBytes: options.maxCommittedSizePerReadyBytes || options.maxSizePerMsgBytes,
    });
    const voters = plan.voters.map(nodeId);
    const confState = { ...EMPTY_CONF_STATE, voters, learners: plan.learners.map(nodeId) };
    const born = imageOf({ index: 1, term: 1, confState, data: null });
    const initial = [...plan.voters, ...plan.learners];
    this.hosts = Array.from({ length: plan.total }, (_, i) => {
      const isBorn = options.start === 'snapshot' && initial.includes(i + 1);
      return new Host(nodeId(i + 1), isBorn ? born : BLANK_IMAGE, this);
    });
    // Those that are born first: what they hold is what the cluster begins with.
    for (const host of [...this.hosts].sort((a, b) => Number(voters.includes(b.id)) - Number(voters.includes(a.id)))) {
      const boots = options.start === 'bootstrap' && voters.includes(host.id);
      host.start(boots ? voters : []);
      if (boots) while (host.work(0));
    }
  }

  /** A whole number below `electionTick`: a function of the seed and of how many were drawn before. */
  private drawJitter(electionTick: number): number {
    let x = (this.plan.jitterSeed + Math.imul(++this.draws, 0x9e3779b9)) | 0;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return ((x ^ (x >>> 16)) >>> 0) % electionTick;
  }

  send(message: Message): void {
    if (this.underWay.length >= MAX_UNDER_WAY) this.lose(this.underWay.shift()!);
    this.underWay.push(message);
  }

  host(id: NodeId): Host | undefined {
    return this.hosts[Number(`0x${id}`) - 1];
  }

  leader(): Host | undefined {
    let best: Host | undefined;
    let bestTerm = -1;
    for (const host of this.hosts) {
      const status = host.running?.basicStatus();
      if (status?.role !== Role.Leader || status.term <= bestTerm) continue;
      best = host;
      bestTerm = status.term;
    }
    return best;
  }

  private named(number: NodeNumber): Host {
    if (number === 0) return this.leader() ?? this.hosts[0]!;
    return this.hosts[(number - 1) % this.hosts.length]!;
  }

  /** The message does not arrive; its sender may be told. */
  private lose(message: Message): void {
    this.report(message, false);
  }

  private report({ type, to, from }: Message, arrived: boolean): void {
    const sender = this.host(from);
    // Also to one that stands still: a report is not lost, only late.
    const raft = sender?.raft;
    if (sender === undefined || raft == null) return;
    if (type === MessageType.Snap) {
      sender.act(
        raft,
        () => ({ kind: 'host' }),
        () => raft.reportSnapshot(to, arrived ? 'finish' : 'failure'),
      );
    } else if (!arrived && type === MessageType.App) {
      sender.act(
        raft,
        () => ({ kind: 'host' }),
        () => raft.reportUnreachable(to),
      );
    }
  }

  private isCut({ from, to }: Message): boolean {
    const side = (id: NodeId): number => (this.cut >> (Number(`0x${id}`) - 1)) & 1;
    return from !== NONE && side(from) !== side(to);
  }

  private take(pick: number): Message | undefined {
    return this.underWay.length === 0 ? undefined : this.underWay.splice(pick % this.underWay.length, 1)[0];
  }

  private deliver(message: Message): Host | undefined {
    const target = this.host(message.to);
    if (target === undefined || target.raft === null || this.isCut(message)) {
      this.lose(message);
      return undefined;
    }
    if (target.paused) {
      this.underWay.push(message);
      return undefined;
    }
    if (this.arrived.length >= MAX_REMEMBERED) this.arrived.shift();
    this.arrived.push(message);
    if (message.type === MessageType.Snap) this.snapshots = [...this.snapshots, message].slice(-MAX_SNAPSHOTS);
    target.receive(message);
    this.report(message, true);
    return target;
  }

  /** Lets everybody work and everything arrive, in order, so many times over. */
  settle(rounds: number): void {
    let deliveries = 0;
    for (let round = 0; round < rounds; round++) {
      for (const host of this.hosts) while (host.work(0));
      if (this.underWay.length === 0) return;
      const batch = this.underWay;
      this.underWay = [];
      deliveries += batch.length;
      if (deliveries > MAX_DELIVERIES) throw new Refusal('messages come to rest', `${deliveries} in a row`);
      for (const message of batch) this.deliver(message);
    }
  }

  step(step: Step): void {
    switch (step.do) {
      case 'tick':
        this.named(step.node).tick(step.count);
        return;
      case 'tickAll':
        for (const host of this.hosts) host.tick(step.count);
        return;
      case 'deliver': {
        const message = this.take(step.pick);
        const target = message === undefined ? undefined : this.deliver(message);
        for (let i = 0; i < step.work && target?.work(0); i++);
        return;
      }
      case 'drop': {
        const message = this.take(step.pick);
        if (message !== undefined) this.lose(message);
        return;
      }
      case 'duplicate':
        if (this.underWay.length > 0) this.deliver(this.underWay[step.pick % this.underWay.length]!);
        return;
      case 'work':
        for (let i = 0; i < step.count && this.named(step.node).work(step.lane); i++);
        return;
      case 'settle':
        this.settle(step.rounds);
        return;
      case 'cut':
        this.cut = step.side === 'leader' ? 1 << (Number(`0x${this.named(0).id}`) - 1) : step.side;
        return;
      case 'replaySnapshot':
        if (this.snapshots.length > 0) this.deliver(this.snapshots[step.pick % this.snapshots.length]!);
        return;
      case 'replay':
        if (this.arrived.length > 0) this.deliver(this.arrived[step.pick % this.arrived.length]!);
        return;
      default:
        this.stepOne(step, this.named('node' in step ? step.node : 0));
    }
  }

  private stepOne(step: Step, host: Host): void {
    if (step.do === 'crash') {
      if (host.raft !== null) host.crash(step.unsyncedSurvives);
      return;
    }
    if (step.do === 'restart') {
      if (host.raft === null) host.start();
      return;
    }
    if (step.do === 'slow') {
      host.slow = step.on;
      return;
    }
    if (step.do === 'pause' || step.do === 'resume') {
      host.paused = step.do === 'pause';
      return;
    }
    const raft = host.running;
    if (raft === null) return;
    const done = (): { readonly kind: 'host' } => ({ kind: 'host' });
    switch (step.do) {
      case 'campaign':
        host.act(raft, done, () => raft.campaign());
        return;
      case 'forget':
        host.act(raft, done, () => raft.forgetLeader());
        return;
      case 'propose':
        this.propose(host, step.sizes);
        return;
      case 'leave':
        host.act(raft, done, () => raft.proposeConfChange({ version: 2, transition: 0, changes: [], context: null }));
        return;
      case 'reconfigure':
        this.reconfigure(host, step);
        return;
      case 'transfer':
        host.act(raft, done, () => raft.transferLeader(this.named(step.to).id));
        return;
      case 'compact':
        host.compact(step.keep);
        return;
      case 'read':
        this.read(host);
        return;
      default:
        throw new Error(`unknown step ${JSON.stringify(step)}`);
    }
  }

  propose(host: Host, sizes: readonly number[]): boolean {
    const raft = host.running;
    if (raft === null) return false;
    const batch = sizes.map((sizeBytes) => ({ sizeBytes, value: ++this.values }));
    const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
    const result = host.act(
      raft,
      (refused) => ({ kind: 'propose', sizeBytes, result: refused }),
      () => raft.proposeBatch(batch),
    );
    return result === null;
  }

  /** A leader's application proposes only what it could apply. */
  private reconfigure(host: Host, step: Step & { readonly do: 'reconfigure' }): void {
    const raft = host.running;
    if (raft === null || raft.basicStatus().role !== Role.Leader) return;
    const changes = step.changes.map(({ type, node }) => ({
      type: type as ConfChangeType,
      nodeId: this.named(Math.max(node, 1)).id,
    }));
    const change: AnyConfChange =
      step.version === 1
        ? { version: 1, id: NONE, ...changes[0]!, context: null }
        : { version: 2, transition: step.transition as ConfChangeTransition, changes, context: null };
    const after = membersAfter({ ...host.confState, votersOutgoing: [], learnersNext: [] }, change);
    if (typeof after === 'string') return;
    host.act(
      raft,
      () => ({ kind: 'host' }),
      () =>
        step.behind === 0 ? raft.proposeConfChange(change) : raft.step(this.behindOthers(host, step.behind, change)),
    );
  }

  /** A proposal of several entries, of which the change is the last; only a message can hold those. */
  private behindOthers(host: Host, count: number, change: AnyConfChange): Message {
    const blank = { term: 0, index: 0, typePresent: true };
    const before = Array.from({ length: count }, (): Entry => {
      return { ...blank, type: EntryType.Normal, data: { sizeBytes: 1, value: ++this.values } as OpaqueData };
    });
    const type = change.version === 1 ? EntryType.ConfChange : EntryType.ConfChangeV2;
    const entries = [...before, { ...blank, type, data: encodeConfChange(change, this.options.behaviour) }];
    return { ...NO_MESSAGE, type: MessageType.Prop, from: host.id, to: host.id, entries };
  }

  read(host: Host): string {
    const context = `r${++this.values}`;
    const raft = host.running!;
    this.spec.asks(host.id, context);
    host.act(
      raft,
      () => ({ kind: 'host' }),
      () => raft.readIndex(Uint8Array.from([...context].map((char) => char.charCodeAt(0)))),
    );
    return context;
  }
}
