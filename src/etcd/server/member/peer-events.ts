import type { Message, NodeId } from '../../../raft/index.ts';
import { EtcdEvent } from '../../events.ts';
import { urlTexts } from '../config/urls.ts';
import type { TransportOwner } from '../peers/transport.ts';
import type { Member } from './member.ts';
import { prepareSnapshot } from './snapshots.ts';

/** The member as its connections to peers see it. */
export class PeerEvents implements TransportOwner {
  readonly #member: Member;

  constructor(member: Member) {
    this.#member = member;
  }

  get localId(): NodeId {
    return this.#member.memberId;
  }

  get clusterId(): string {
    return this.#member.clusterId;
  }

  get serverVersion(): string {
    return this.#member.serverVersion;
  }

  get peerUrls(): readonly string[] {
    return urlTexts(this.#member.identity.config.advertisePeerUrls);
  }

  reportUnreachable(id: NodeId): void {
    this.#member.driver.use((node) => node.reportUnreachable(id));
  }

  reportSnapshot(id: NodeId, outcome: 'finish' | 'failure'): void {
    this.#member.driver.use((node) => node.reportSnapshot(id, outcome));
  }

  toldRemoved(): void {
    this.#member.ended.set('removed');
  }

  peerConnected(peer: NodeId): void {
    this.#member.log.event(EtcdEvent.PeerConnected, { memberId: this.localId, peer });
  }

  peerLost(peer: NodeId, reason: string): void {
    this.#member.log.event(EtcdEvent.PeerLost, { memberId: this.localId, peer, reason });
  }

  snapshotParts(message: Message): ReturnType<TransportOwner['snapshotParts']> {
    return prepareSnapshot(this.#member, message);
  }

  snapshotDone(): void {
    this.#member.persistence.snapshotEnded();
  }
}
