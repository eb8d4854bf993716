import type { Clock } from '../../../platform/clock.ts';
import type { Metadata } from '../../../platform/rpc.ts';
import type { TaskScope } from '../../../platform/task.ts';
import { type Message, MessageType, type NodeId } from '../../../raft/index.ts';
import { MIN_CLUSTER_VERSION } from '../versions.ts';
import type { PeerAccess } from './endpoint.ts';
import { Peer } from './peer.ts';
import { PeerHeader } from './service.ts';

/** What the transport needs of the member. */
export interface TransportOwner {
  readonly localId: NodeId;
  readonly clusterId: string;
  readonly serverVersion: string;
  readonly peerUrls: readonly string[];
  /** A message could not be handed to the network: Raft should slow down to this peer. */
  reportUnreachable(id: NodeId): void;
  reportSnapshot(id: NodeId, outcome: 'finish' | 'failure'): void;
  /** A peer said that this member was removed from the cluster. */
  toldRemoved(): void;
  peerConnected(id: NodeId): void;
  peerLost(id: NodeId, reason: string): void;
  /** Makes the database image that goes with a snapshot message; null when too many are under way. */
  snapshotParts(message: Message): { readonly message: Message; readonly parts: readonly Uint8Array[] } | null;
  snapshotDone(): void;
}

export interface TransportDeps extends PeerAccess {
  readonly clock: Clock;
  readonly scope: TaskScope;
  /** Longest connection attempt: 1 s and one election timeout (reference/etcd.md D1). */
  readonly dialTimeoutUs: number;
}

/** Whether no message before this one goes with a batch to the same peer. The lists are short: a few for each peer. */
function isFirstTo(messages: readonly Message[], at: number): boolean {
  const { to } = messages[at]!;
  for (let i = 0; i < at; i++) if (messages[i]!.to === to && messages[i]!.type !== MessageType.Snap) return false;
  return true;
}

/** This message and those after it that go to the same peer, in their order. */
function batchTo(messages: readonly Message[], first: number): readonly Message[] {
  const { to } = messages[first]!;
  const batch = [messages[first]!];
  for (let i = first + 1; i < messages.length; i++) {
    if (messages[i]!.to === to && messages[i]!.type !== MessageType.Snap) batch.push(messages[i]!);
  }
  return batch;
}

/** Carries Raft messages to the other members, one stream to each; what cannot be sent now is dropped, never kept. */
export class Transport {
  readonly #deps: TransportDeps;
  readonly #owner: TransportOwner;
  readonly #peers = new Map<NodeId, Peer>();
  #closed = false;

  constructor(deps: TransportDeps, owner: TransportOwner) {
    this.#deps = deps;
    this.#owner = owner;
  }

  get peerIds(): readonly NodeId[] {
    return [...this.#peers.keys()];
  }

  add(id: NodeId, urls: readonly string[]): void {
    if (this.#closed || id === this.#owner.localId) return;
    const known = this.#peers.get(id);
    if (known !== undefined) known.setUrls(urls);
    else this.#peers.set(id, new Peer(this.#deps, this.#owner, this.#metadata(id), id, urls));
  }

  remove(id: NodeId): void {
    this.#peers.get(id)?.close();
    this.#peers.delete(id);
  }

  /** Hands messages to their peers' streams, keeping their order. */
  send(messages: readonly Message[]): void {
    for (let i = 0; i < messages.length; i++) {
      const message = messages[i]!;
      const peer = this.#peers.get(message.to);
      if (peer === undefined) continue;
      if (message.type === MessageType.Snap) peer.sendSnapshot(message);
      else if (isFirstTo(messages, i)) peer.send(batchTo(messages, i));
    }
  }

  /** Monotonic time since which the peer's stream has been up; null when it is down. */
  connectedSinceUs(id: NodeId): number | null {
    return this.#peers.get(id)?.connectedSinceUs ?? null;
  }

  /** How many peers are connected now. */
  get connectedCount(): number {
    let count = 0;
    for (const peer of this.#peers.values()) if (peer.connectedSinceUs !== null) count++;
    return count;
  }

  close(): void {
    this.#closed = true;
    for (const peer of this.#peers.values()) peer.close();
    this.#peers.clear();
  }

  #metadata(to: NodeId): Metadata {
    const owner = this.#owner;
    return {
      [PeerHeader.ClusterId]: owner.clusterId,
      [PeerHeader.From]: owner.localId,
      [PeerHeader.To]: to,
      [PeerHeader.ServerVersion]: owner.serverVersion,
      [PeerHeader.MinClusterVersion]: MIN_CLUSTER_VERSION,
      [PeerHeader.PeerUrls]: owner.peerUrls.join(','),
    };
  }
}
