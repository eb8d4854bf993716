import { EtcdEvent } from '../../etcd/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { type EtcdBirth, EtcdLineage } from './etcd-lineage.ts';
import type { EtcdClusterView, EtcdMemberView, EtcdView } from './types.ts';

/** One etcd cluster from its founding on, as its most advanced member knows it. */
export interface Birth extends EtcdBirth {
  /** Voters and learners. */
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

const NO_LEADER = '0000000000000000';

/** Folds etcd's events into births, memberships and leaders. */
export class EtcdObserver {
  readonly #lineage = new EtcdLineage();
  readonly #births: Birth[] = [];
  readonly #local = new Map<string, LocalMember>();
  readonly #names = new Map<string, string>();

  /** The member whose data lies on a machine. */
  localOn(machine: string): LocalMember | undefined {
    return this.#local.get(machine);
  }

  take(machine: string, event: TraceEvent): void {
    this.#lineage.take(event);
    if (this.#lineage.birthOn(machine) === undefined) this.#local.delete(machine);
    const fields = event.fields as Readonly<Record<string, string & number & boolean>>;
    switch (event.kind) {
      case EtcdEvent.MemberStarted.name:
        this.#started(machine, fields);
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

  /** Births of which some machine still holds data, oldest first. */
  living(): readonly Birth[] {
    const locals = [...this.#local.values()];
    return this.#births.filter((birth) => locals.some((member) => member.birth === birth));
  }

  /** The birth whose Kubernetes objects count: the oldest with a quorum, or else the oldest whose data is left. */
  counting(): Birth | undefined {
    const living = this.living();
    return (
      living.find(
        (birth) =>
          leaderOf(
            birth,
            [...this.#local.values()].filter((member) => member.birth === birth),
          ) !== '',
      ) ?? living[0]
    );
  }

  #started(machine: string, fields: Readonly<Record<string, string & number & boolean>>): void {
    const origin = this.#lineage.birthOn(machine);
    if (origin === undefined) return;
    const birth = this.#births[origin.number - 1] ?? this.#found(origin, fields.memberId!);
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

  #found(origin: EtcdBirth, memberId: string): Birth {
    const members = new Map([[memberId, { learner: false }]]);
    const birth: Birth = { ...origin, members, membershipIndex: 0, term: 0, revision: 0 };
    this.#births.push(birth);
    return birth;
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
