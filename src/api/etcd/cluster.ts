import { repeated } from '../../rpc/composite-fields.ts';
import { bool, id64, nested, string } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';
import { type Id64, ResponseHeader } from './kv.ts';

/** Messages of etcd's Cluster service (reference/etcd.md E2.4). */

export interface Member {
  readonly id: Id64;
  /** Empty until the member has started and published itself. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

export interface MemberAddRequest {
  readonly peerUrls: readonly string[];
  readonly isLearner: boolean;
}

export interface MemberAddResponse {
  readonly header: ResponseHeader | null;
  readonly member: Member | null;
  readonly members: readonly Member[];
}

export interface MemberRemoveRequest {
  readonly id: Id64;
}

export interface MemberUpdateRequest {
  readonly id: Id64;
  readonly peerUrls: readonly string[];
}

export interface MemberListRequest {
  readonly linearizable: boolean;
}

export interface MemberPromoteRequest {
  readonly id: Id64;
}

/** The answer to remove, update, list and promote. */
export interface MembersResponse {
  readonly header: ResponseHeader | null;
  readonly members: readonly Member[];
}

export const Member: MessageType<Member> = message('etcdserverpb.Member', {
  id: id64(1, 'uint64'),
  name: string(2),
  peerUrls: repeated(string(3)),
  clientUrls: repeated(string(4)),
  isLearner: bool(5),
});

export const MemberAddRequest: MessageType<MemberAddRequest> = message('etcdserverpb.MemberAddRequest', {
  peerUrls: repeated(string(1)),
  isLearner: bool(2),
});

export const MemberAddResponse: MessageType<MemberAddResponse> = message('etcdserverpb.MemberAddResponse', {
  header: nested(1, ResponseHeader),
  member: nested(2, Member),
  members: repeated(nested(3, Member)),
});

export const MemberRemoveRequest: MessageType<MemberRemoveRequest> = message('etcdserverpb.MemberRemoveRequest', {
  id: id64(1, 'uint64'),
});

export const MemberUpdateRequest: MessageType<MemberUpdateRequest> = message('etcdserverpb.MemberUpdateRequest', {
  id: id64(1, 'uint64'),
  peerUrls: repeated(string(2)),
});

export const MemberListRequest: MessageType<MemberListRequest> = message('etcdserverpb.MemberListRequest', {
  linearizable: bool(1),
});

export const MemberPromoteRequest: MessageType<MemberPromoteRequest> = message('etcdserverpb.MemberPromoteRequest', {
  id: id64(1, 'uint64'),
});

export const MembersResponse: MessageType<MembersResponse> = message('etcdserverpb.MemberListResponse', {
  header: nested(1, ResponseHeader),
  members: repeated(nested(2, Member)),
});
