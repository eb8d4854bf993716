import { nodeChanged } from '../../kube/events.ts';
import { vipAcquired, vipReleased } from '../../nodes/events.ts';
import { kernelEnded, processExited } from '../../sim/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { etcdDataGone } from './etcd-data-gone.ts';
import { EtcdObserver } from './etcd-observer.ts';
import { MachineObserver } from './machine-observer.ts';
import type { ClusterView } from './types.ts';

/** Folds the events of a run into what an outside observer knows. Reads nothing but events. */
export class ClusterObserver {
  readonly etcd = new EtcdObserver();
  readonly #machines = new Map<string, MachineObserver>();
  /** Nodes by number of the etcd birth that holds them: revisions of two clusters do not compare. */
  readonly #nodes = new Map<number, Map<string, { ready: boolean; revision: number }>>();
  #vipAddress = '';
  readonly #vipOwners = new Set<string>();

  constructor(machines: readonly string[]) {
    for (const name of machines) this.#machines.set(name, new MachineObserver(name));
  }

  take(event: TraceEvent): void {
    const slash = event.source.indexOf('/');
    const name = slash < 0 ? event.source : event.source.slice(0, slash);
    const machine = this.#machines.get(name);
    if (machine === undefined) return;
    machine.take(event);
    if (event.kind.startsWith('etcd.') || etcdDataGone(event)) this.etcd.take(name, event);
    else if (event.kind === kernelEnded.name) this.#gone(name);
    else if (event.kind === processExited.name && event.source === `${name}/etcd`) this.etcd.stopped(name);
    else if (event.kind === vipAcquired.name) {
      this.#vipAddress = event.fields.address as string;
      this.#vipOwners.add(name);
    } else if (event.kind === vipReleased.name) this.#vipOwners.delete(name);
    else if (event.kind === nodeChanged.name) this.#node(name, event);
  }

  #gone(machine: string): void {
    this.etcd.stopped(machine);
    this.#vipOwners.delete(machine);
  }

  /** API servers of a second etcd cluster see other Nodes. */
  #node(machine: string, event: TraceEvent): void {
    const birth = this.etcd.localOn(machine)?.birth;
    if (birth === undefined) return;
    const nodes = this.#nodesOf(birth.number);
    const { name, ready, deleted, revision } = event.fields as {
      name: string;
      ready: boolean;
      deleted: boolean;
      revision: number;
    };
    const known = nodes.get(name);
    if (known !== undefined && known.revision > revision) return;
    if (deleted) nodes.delete(name);
    else nodes.set(name, { ready, revision });
  }

  #nodesOf(birth: number): Map<string, { ready: boolean; revision: number }> {
    const known = this.#nodes.get(birth);
    if (known !== undefined) return known;
    const nodes = new Map<string, { ready: boolean; revision: number }>();
    this.#nodes.set(birth, nodes);
    return nodes;
  }

  view(): ClusterView {
    const etcd = this.etcd.view();
    const counts = this.etcd.counting();
    const nodes = [...(counts === undefined ? [] : this.#nodesOf(counts.number))]
      .map(([name, { ready }]) => ({ name, ready }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const machines = [...this.#machines.values()].map((machine) => {
      const member = this.etcd.localOn(machine.name);
      const learner = member?.birth.members.get(member.memberId)?.learner ?? false;
      return machine.view(member, learner);
    });
    const vip =
      this.#vipAddress === '' ? undefined : { address: this.#vipAddress, owners: [...this.#vipOwners].sort() };
    return { etcd, kubernetes: { nodes }, vip, machines };
  }
}
