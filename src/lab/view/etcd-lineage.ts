import { EtcdEvent } from '../../etcd/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { machineOf } from '../checkers/checker.ts';
import { etcdDataGone, TELLING_OF_DATA } from './etcd-data-gone.ts';

/** The founding of one etcd cluster. Cluster ids do not tell births apart: the same URLs give the same id. */
export interface EtcdBirth {
  /** 1 for the first of the run. */
  readonly number: number;
  readonly machine: string;
  readonly atUs: number;
  readonly how: 'bootstrap' | 'restore' | 'force-new-cluster';
  readonly clusterId: string;
}

const FOUNDING: ReadonlyMap<string, EtcdBirth['how']> = new Map([
  ['new', 'bootstrap'],
  ['restore', 'restore'],
  ['forced', 'force-new-cluster'],
]);

/** Kinds of events that say something about births; of all others there are many more. */
const TELLING: ReadonlySet<string> = new Set([
  ...TELLING_OF_DATA,
  EtcdEvent.MemberAdded.name,
  EtcdEvent.MemberStarted.name,
]);

/** Tells which birth the etcd data on each machine descends from. */
export class EtcdLineage {
  readonly births: EtcdBirth[] = [];
  readonly #data = new Map<string, EtcdBirth>();
  /** Ids of the members that began each birth together. */
  readonly #founders = new Map<EtcdBirth, Set<string>>();
  /** By id of a member, the birth whose members added it last. */
  readonly #added = new Map<string, EtcdBirth>();

  /** Folds one event in; the birth, when the event is one. */
  take(event: TraceEvent): EtcdBirth | undefined {
    if (!TELLING.has(event.kind)) return undefined;
    const machine = machineOf(event.source);
    if (etcdDataGone(event)) this.#data.delete(machine);
    if (event.kind === EtcdEvent.MemberAdded.name) {
      const birth = this.#data.get(machine);
      if (birth !== undefined) this.#added.set((event.fields as { memberId: string }).memberId, birth);
    }
    if (event.kind !== EtcdEvent.MemberStarted.name) return undefined;
    const start = { ...(event.fields as { birth: string; clusterId: string; memberId: string }), machine };
    const how = FOUNDING.get(start.birth);
    const origin = how === undefined ? this.#originOf(start) : this.#partnerOf(start, how);
    if (how === undefined || origin !== undefined) {
      if (origin !== undefined) this.#data.set(machine, origin);
      return undefined;
    }
    const { clusterId } = start;
    const born = { number: this.births.length + 1, machine, atUs: event.timeUs, how, clusterId };
    this.births.push(born);
    this.#founders.set(born, new Set([start.memberId]));
    this.#data.set(machine, born);
    return born;
  }

  /** The birth that the data on a machine descends from; undefined when it has none. */
  birthOn(machine: string): EtcdBirth | undefined {
    return this.#data.get(machine);
  }

  /** Machines with data of any birth, in the order in which they got it. */
  machines(): readonly string[] {
    return [...this.#data.keys()];
  }

  /**
   * The birth that a member begins together with others. The id of a cluster is made of those of its founders (reference/
   * etcd.md B1), so that one of them which begins twice begins another cluster: it has lost what it knew of the first.
   * Only a restored member that ended before its first entry still has all it had.
   */
  #partnerOf({ machine, clusterId, memberId }: Start, how: EtcdBirth['how']): EtcdBirth | undefined {
    if (how === 'force-new-cluster') return undefined;
    const local = this.#data.get(machine);
    if (how === 'restore' && local?.how === how && local.clusterId === clusterId) return local;
    const latest = this.births.findLast((birth) => birth.clusterId === clusterId);
    const founders = latest?.how === how ? this.#founders.get(latest) : undefined;
    if (founders === undefined || founders.has(memberId)) return undefined;
    founders.add(memberId);
    return latest;
  }

  /**
   * A restart goes on with what lay on the machine; a join enters the cluster that added it, or else the youngest of that
   * id that still lives.
   */
  #originOf({ machine, birth: how, clusterId, memberId }: Start): EtcdBirth | undefined {
    const local = this.#data.get(machine);
    if (how === 'restart' && local?.clusterId === clusterId) return local;
    const adder = this.#added.get(memberId);
    if (adder?.clusterId === clusterId) return adder;
    const candidates = this.births.filter((birth) => birth.clusterId === clusterId);
    const elsewhere = [...this.#data].filter(([other]) => other !== machine).map(([, birth]) => birth);
    return candidates.findLast((birth) => elsewhere.includes(birth)) ?? candidates.at(-1);
  }
}

/** A member that starts. */
interface Start {
  readonly machine: string;
  readonly birth: string;
  readonly clusterId: string;
  readonly memberId: string;
}
