import { bool, nested, string, uint64 } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';
import { service, unary } from '../../rpc/service.ts';
import { type EmptyMessage, ResponseHeader } from './kv.ts';

/** What is left of etcd's Auth service where authentication is never on. */

export interface AuthStatusResponse {
  readonly header: ResponseHeader | null;
  readonly enabled: boolean;
  readonly authRevision: number;
}

export interface AuthenticateRequest {
  readonly name: string;
  readonly password: string;
}

export interface AuthenticateResponse {
  readonly header: ResponseHeader | null;
  readonly token: string;
}

export const AuthStatusRequest: MessageType<EmptyMessage> = message('etcdserverpb.AuthStatusRequest', {});

export const AuthStatusResponse: MessageType<AuthStatusResponse> = message('etcdserverpb.AuthStatusResponse', {
  header: nested(1, ResponseHeader),
  enabled: bool(2),
  authRevision: uint64(3),
});

export const AuthenticateRequest: MessageType<AuthenticateRequest> = message('etcdserverpb.AuthenticateRequest', {
  name: string(1),
  password: string(2),
});

export const AuthenticateResponse: MessageType<AuthenticateResponse> = message('etcdserverpb.AuthenticateResponse', {
  header: nested(1, ResponseHeader),
  token: string(2),
});

export const AuthService = service('etcdserverpb.Auth', {
  AuthStatus: unary(AuthStatusRequest, AuthStatusResponse),
  Authenticate: unary(AuthenticateRequest, AuthenticateResponse),
});
