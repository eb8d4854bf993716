import type { Platform } from '../../../platform/platform.ts';
import type { TlsClient } from '../../../platform/rpc.ts';
import type { MemoryStorage, NodeId, RawNode } from '../../../raft/index.ts';
import type { Database } from '../backend/database.ts';
import type { ServerObserver } from '../observer.ts';
import type { ReplicatedState } from '../state/replicated.ts';
import type { Wal } from '../wal/wal.ts';
import type { MemberIdentity } from './identity.ts';

/** What start-up hands over: everything read from disk or made new. */
export interface MemberParts {
  readonly identity: MemberIdentity;
  readonly platform: Platform;
  readonly state: ReplicatedState;
  readonly node: RawNode;
  readonly storage: MemoryStorage;
  readonly wal: Wal;
  readonly database: Database;
  readonly snapDirectory: string;
  readonly peerTls: TlsClient | undefined;
  /** Members of a cluster being joined, which this member does not know by its log yet. */
  readonly remotes: readonly { readonly id: NodeId; readonly peerUrls: readonly string[] }[];
  readonly observer?: ServerObserver;
}
