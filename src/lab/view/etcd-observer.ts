import { EtcdEvent } from '../../etcd/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import type { EtcdClusterView, EtcdMemberView, EtcdView } from './types.ts';

/** One etcd cluster from its founding on. Cluster ids do not tell births apart: the same URLs give the same id. */
export interface Birth {
  readonly number: number;
  readonly machine: string;
  readonly atUs: number;
  readonly how: string;
  readonly clusterId: string;
  /** Voters and learners as the most advanced member has applied them. */
  readonly members: Map<string, { learner: boolean }>;
  membershipIndex: number;
  term: number;
  revision: number;
}

/** What runs (or is stored) on one machine. */
export interface LocalMember {
  readonly machine: string;
  readonly memberId: string;
  readonly name: string;
  readonly birth: Birth;
  running: boolean;
  leader: string;
  term: number;
}

const FOUNDING: Readonly<Record<string, string>> = {
  new: 'bootstrap',
  restore: 'restore',
  forced: 'force-new-cluster',
};
const NO_LEADER = '0000000000000000';

/** Folds etcd's events into births, memberships and leaders. */
export class EtcdObserver {
  readonly #births: Birth[] = [];
  readonly #local = new Map<string, LocalMember>();
  readonly #names = new Map<string, string>();

  /** The member whose data lies on a machine. */
  localOn(machine: string): LocalMember | undefined {
    return this.#local.get(machine);
  }

  take(machine: string, event: TraceEvent): void {
    const fields = event.fields as Readonly<Record<string, string & number & boolean>>;
    switch (event.kind) {
      case EtcdEvent.MemberStarted.name:
        this.#started(machine, event, fields);
        break;
      case EtcdEvent.LeaderChanged.name:
      case EtcdEvent.BecameLeader.name:
        this.#leader(
          machine,
          event.kind === EtcdEvent.BecameLeader.name ? fields.memberId! : fields.leader!,
          fields.term!,
        );
        break;
      case EtcdEvent.MemberAdded.name:
        this.#membership(machine, fields.index!, (members) =>
          members.set(fields.memberId!, { learner: fields.learner! }),
        );
        break;
      case EtcdEvent.MemberPromoted.name:
        this.#membership(machine, fields.index!, (members) => members.set(fields.memberId!, { learner: false }));
        break;
      case EtcdEvent.MemberRemoved.name:
        this.#membership(machine, fields.index!, (members) => members.delete(fields.memberId!));
        break;
      case EtcdEvent.Applied.name:
        this.#applied(machine, fields.revision!);
        break;
      case EtcdEvent.MemberStopped.name:
        this.stopped(machine);
        break;
    }
  }

  /** The process or the machine under a member is gone; its data stays. */
  stopped(machine: string): void {
    const local = this.#local.get(machine);
    if (local === undefined) return;
    local.running = false;
    local.leader = NO_LEADER;
  }

  /** The machine holds no data of etcd any more. */
  forget(machine: string): void {
    this.#local.delete(machine);
  }

  /** Births of which some machine still holds data, oldest first. */
  living(): readonly Birth[] {
    const locals = [...this.#local.values()];
    return this.#births.filter((birth) => locals.some((member) => member.birth === birth));
  }

  #started(machine: string, event: TraceEvent, fields: Readonly<Record<string, string & number & boolean>>): void {
    const how = FOUNDING[fields.birth!];
    const birth =
      how === undefined
        ? this.#birthOf(machine, fields.birth!, fields.clusterId!)
        : this.#found(machine, event, how, fields);
    if (birth === undefined) return;
    const name = fields.name!;
    if (name !== '') this.#names.set(`${birth.number}/${fields.memberId!}`, name);
    this.#local.set(machine, {
      machine,
      memberId: fields.memberId!,
      name,
      birth,
      running: true,
      leader: NO_LEADER,
      term: 0,
    });
  }

  #found(
    machine: string,
    event: TraceEvent,
    how: string,
    fields: Readonly<Record<string, string & number & boolean>>,
  ): Birth {
    const birth: Birth = {
      number: this.#births.length + 1,
      machine,
      atUs: event.timeUs,
      how,
      clusterId: fields.clusterId!,
      members: new Map([[fields.memberId!, { learner: false }]]),
      membershipIndex: 0,
      term: 0,
      revision: 0,
    };
    this.#births.push(birth);
    return birth;
  }

  /** A restart goes on with what lay on the machine; a join enters the youngest cluster of that id that still lives. */
  #birthOf(machine: string, how: string, clusterId: string): Birth | undefined {
    const local = this.#local.get(machine);
    if (how === 'restart' && local?.birth.clusterId === clusterId) return local.birth;
    const candidates = this.#births.filter((birth) => birth.clusterId === clusterId);
    const alive = candidates.filter((birth) =>
      [...this.#local.values()].some((member) => member.birth === birth && member.machine !== machine),
    );
    return alive.at(-1) ?? candidates.at(-1);
  }

  #leader(machine: string, leader: string, term: number): void {
    const local = this.#local.get(machine);
    if (local === undefined) return;
    local.leader = leader === '' ? NO_LEADER : leader;
    local.term = term;
    local.birth.term = Math.max(local.birth.term, term);
  }

  /** Every member applies every change; the first to do so counts. */
  #membership(machine: string, index: number, change: (members: Map<string, { learner: boolean }>) => void): void {
    const birth = this.#local.get(machine)?.birth;
    if (birth === undefined || index <= birth.membershipIndex) return;
    birth.membershipIndex = index;
    change(birth.members);
  }

  #applied(machine: string, revision: number): void {
    const birth = this.#local.get(machine)?.birth;
    if (birth !== undefined) birth.revision = Math.max(birth.revision, revision);
  }

  view(): EtcdView {
    const locals = [...this.#local.values()];
    const clusters = this.living().map((birth) =>
      this.#clusterView(
        birth,
        locals.filter((member) => member.birth === birth),
      ),
    );
    const largest = clusters.reduce((most, cluster) => Math.max(most, votersOf(cluster).length), 0);
    return {
      clusters,
      quorum: largest === 0 ? 0 : Math.floor(largest / 2) + 1,
      writable: clusters.some((cluster) => cluster.leader !== ''),
    };
  }

  #clusterView(birth: Birth, locals: readonly LocalMember[]): EtcdClusterView {
    const leader = leaderOf(birth, locals);
    const members = [...birth.members].map(([id, { learner }]): EtcdMemberView => {
      const local = locals.find((member) => member.memberId === id);
      const name = this.#names.get(`${birth.number}/${id}`) ?? '';
      return {
        name,
        id,
        learner,
        healthy: local?.running === true && local.leader !== NO_LEADER && local.leader === leader,
      };
    });
    return {
      birth: { machine: birth.machine, atUs: birth.atUs, how: birth.how },
      id: birth.clusterId,
      leader,
      term: birth.term,
      revision: birth.revision,
      members,
    };
  }
}

function votersOf(cluster: EtcdClusterView): readonly EtcdMemberView[] {
  return cluster.members.filter((member) => !member.learner);
}

/** The member that a quorum of voters follows in one term; empty when there is none. */
function leaderOf(birth: Birth, locals: readonly LocalMember[]): string {
  const voters = [...birth.members].filter(([, { learner }]) => !learner).map(([id]) => id);
  const followers = new Map<string, number>();
  for (const id of voters) {
    const local = locals.find((member) => member.memberId === id && member.running);
    if (local === undefined || local.leader === NO_LEADER) continue;
    const key = `${local.leader} ${local.term}`;
    followers.set(key, (followers.get(key) ?? 0) + 1);
  }
  for (const [key, count] of followers) if (count >= Math.floor(voters.length / 2) + 1) return key.split(' ', 1)[0]!;
  return '';
}
