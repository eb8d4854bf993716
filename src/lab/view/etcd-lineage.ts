import { EtcdEvent } from '../../etcd/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { machineOf } from '../checkers/checker.ts';
import { etcdDataGone } from './etcd-data-gone.ts';

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

/** Tells which birth the etcd data on each machine descends from. */
export class EtcdLineage {
  readonly births: EtcdBirth[] = [];
  readonly #data = new Map<string, EtcdBirth>();

  /** Folds one event in; the birth, when the event is one. */
  take(event: TraceEvent): EtcdBirth | undefined {
    const machine = machineOf(event.source);
    if (etcdDataGone(event)) this.#data.delete(machine);
    if (event.kind !== EtcdEvent.MemberStarted.name) return undefined;
    const { birth, clusterId } = event.fields as { birth: string; clusterId: string };
    const how = FOUNDING.get(birth);
    if (how === undefined) {
      const origin = this.#originOf(machine, birth, clusterId);
      if (origin !== undefined) this.#data.set(machine, origin);
      return undefined;
    }
    const born = { number: this.births.length + 1, machine, atUs: event.timeUs, how, clusterId };
    this.births.push(born);
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

  /** A restart goes on with what lay on the machine; a join enters the youngest cluster of that id that still lives. */
  #originOf(machine: string, how: string, clusterId: string): EtcdBirth | undefined {
    const local = this.#data.get(machine);
    if (how === 'restart' && local?.clusterId === clusterId) return local;
    const candidates = this.births.filter((birth) => birth.clusterId === clusterId);
    const elsewhere = [...this.#data].filter(([other]) => other !== machine).map(([, birth]) => birth);
    return candidates.findLast((birth) => elsewhere.includes(birth)) ?? candidates.at(-1);
  }
}
