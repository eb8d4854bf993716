import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import type { PeerIdentity } from '../../platform/rpc.ts';
import type { HttpHeaders } from '../../rpc/http/message.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import type { User } from './authorize.ts';

/** Finds secrets of kube-system by name, for bootstrap tokens. */
export type SecretLookup = (name: string) => KubeObject | undefined;

/** Client certificate, else bootstrap token; nobody is anonymous (`--anonymous-auth=false`). */
export function authenticate(identity: PeerIdentity | undefined, headers: HttpHeaders, secrets: SecretLookup): User {
  if (identity !== undefined)
    return { name: identity.commonName, groups: [...identity.organizations, 'system:authenticated'] };
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  const user = token === undefined ? undefined : bootstrapUser(token, secrets);
  if (user === undefined) throw new KubeError('Unauthorized', 'Unauthorized');
  return user;
}

/** `id.secret` of a Secret of type bootstrap.kubernetes.io/token that may be used for authentication. */
function bootstrapUser(token: string, secrets: SecretLookup): User | undefined {
  const [, id = '', secret = ''] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? [];
  const stored = id === '' ? undefined : secrets(`bootstrap-token-${id}`);
  if (stored === undefined || secretField(stored, 'token-secret') !== secret) return undefined;
  if (secretField(stored, 'usage-bootstrap-authentication') !== 'true') return undefined;
  const extra = (secretField(stored, 'auth-extra-groups') ?? '').split(',').filter((group) => group !== '');
  return { name: `system:bootstrap:${id}`, groups: ['system:bootstrappers', ...extra, 'system:authenticated'] };
}

function secretField(secret: KubeObject, field: string): string | undefined {
  const plain = (secret.stringData as Record<string, string> | undefined)?.[field];
  if (plain !== undefined) return plain;
  const bytes = decodeBase64((secret.data as Record<string, string> | undefined)?.[field] ?? '');
  return bytes === null || bytes.length === 0 ? undefined : utf8Decode(bytes);
}
