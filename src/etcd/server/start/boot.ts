import { shortId } from '../../../api/etcd/ids.ts';
import { readWhole } from '../../../platform/disk.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { Task } from '../../../platform/task.ts';
import { MemoryStorage, type NodeId } from '../../../raft/index.ts';
import type { Behaviour } from '../../behaviour.ts';
import { Database } from '../backend/database.ts';
import type { DatabaseState } from '../backend/image.ts';
import type { ServerConfig } from '../config/config.ts';
import { minLeaseTtlSec } from '../member/identity.ts';
import type { MemberParts } from '../member/parts.ts';
import { encodeContext } from '../membership/context.ts';
import { clusterId as clusterIdOf } from '../membership/ids.ts';
import type { PeerAccess } from '../peers/endpoint.ts';
import { ReplicatedState } from '../state/replicated.ts';
import { walExists } from '../wal/recover.ts';
import { Wal } from '../wal/wal.ts';
import { makeDirectoryDurably } from './directories.ts';
import { StartError } from './errors.ts';
import { checkFounding, foundingMembers } from './founding.ts';
import { joinExisting, otherPeerUrls } from './join.ts';
import type { Layout } from './layout.ts';
import { makeNode } from './node.ts';
import { fetchCluster } from './remote.ts';
import { restartMember } from './restart.ts';

/** How a member's data came to be; the `birth` of its start event. */
export type Birth = 'new' | 'join' | 'restart' | 'restore' | 'forced';

export interface Booted {
  readonly parts: MemberParts;
  readonly birth: Birth;
  /** What the database holds, where the log alone does not tell how it came to be. */
  readonly content?: DatabaseState;
}

/** What every way of starting needs. */
export interface BootContext {
  readonly config: ServerConfig;
  readonly behaviour: Behaviour;
  readonly platform: Platform;
  readonly layout: Layout;
  readonly access: PeerAccess;
  readonly walSegmentBytes: number;
}

/** How long a peer may take to say whether this member was bootstrapped before. */
const BOOTSTRAPPED_CHECK_US = 1_000_000;

/**
 * Starts from what is on the disk: an existing log decides everything, else the command line says whether a cluster is
 * founded or joined (reference/etcd.md B6). The directories and the database file are made before anything is checked,
 * as the real server does: a refused start leaves a data directory that is not empty (corrections.md 9).
 */
export function* bootMember(context: BootContext): Task<Booted> {
  const { platform, layout, config } = context;
  const { disk } = platform;
  yield* makeDirectoryDurably(disk, layout.snapDir);
  if (yield* walExists(disk, layout.walDir)) return yield* restartMember(context);
  if ((yield* disk.stat(layout.database)) === undefined) (yield* Database.create(disk, layout.database)).close();
  return config.newCluster ? yield* foundCluster(context) : yield* enterCluster(context);
}

function* foundCluster(context: BootContext): Task<Booted> {
  const { config, access } = context;
  checkFounding(config, true);
  const members = foundingMembers(config);
  const self = members.find((member) => member.name === config.name)!;
  const known = yield* fetchCluster(access, otherPeerUrls(config), BOOTSTRAPPED_CHECK_US);
  if (known?.members.some((member) => member.id === self.id && member.clientUrls.length > 0)) {
    throw new StartError(`member ${shortId(self.id)} has already been bootstrapped`);
  }
  const clusterId = clusterIdOf(members.map((member) => member.id));
  const parts = yield* freshMember(context, clusterId, self.id);
  parts.state.cluster.seed(members);
  const peers = members.map((member) => ({ id: member.id, context: encodeContext({ member, isPromote: false }) }));
  const refused = parts.node.bootstrap(peers);
  if (refused !== null) throw new StartError(refused);
  return { parts, birth: 'new' };
}

function* enterCluster(context: BootContext): Task<Booted> {
  const joined = yield* joinExisting(context.config, context.behaviour, context.access);
  const parts = yield* freshMember(context, joined.clusterId, joined.memberId);
  parts.state.cluster.seed(joined.members);
  const remotes = joined.members.map((member) => ({ id: member.id, peerUrls: member.peerUrls }));
  return { parts: { ...parts, remotes }, birth: 'join' };
}

/** A member without data: an empty log with its identity, an empty database. */
function* freshMember(context: BootContext, clusterId: string, memberId: NodeId): Task<MemberParts> {
  const { config, behaviour, platform, layout, access, walSegmentBytes } = context;
  const { disk } = platform;
  const state = new ReplicatedState(stateOptions(context, clusterId, memberId));
  const bytes = (yield* readWhole(disk, layout.database)) ?? new Uint8Array(0);
  const database = yield* Database.open(disk, layout.database, bytes.length);
  const wal = yield* Wal.create(disk, layout.walDir, { memberId, clusterId }, walSegmentBytes);
  const storage = new MemoryStorage('3.6');
  const node = makeNode(config, platform, memberId, storage);
  return {
    identity: { config, behaviour, clusterId, memberId },
    platform,
    state,
    node,
    storage,
    wal,
    database,
    snapDirectory: layout.snapDir,
    peerTls: access.tls,
    remotes: [],
  };
}

export function stateOptions(
  context: BootContext,
  clusterId: string,
  memberId: NodeId,
): ConstructorParameters<typeof ReplicatedState>[0] {
  return {
    clusterId,
    memberId,
    maxLearners: context.config.maxLearners,
    minLeaseTtlSec: minLeaseTtlSec(context.config),
    storesLeaseCheckpoints: context.config.leaseCheckpointPersist,
    behaviour: context.behaviour,
  };
}
