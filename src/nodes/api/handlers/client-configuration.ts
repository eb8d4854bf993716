import { isApiRole } from '../../../config/roles.ts';
import { encodeBase64 } from '../../../platform/base64.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import { microseconds } from '../../../rpc/well-known.ts';
import { controlPlaneSettings } from '../../config/active.ts';
import type { Machine } from '../../machine.ts';
import { Issuer } from '../../secrets/issue.ts';
import { failedPrecondition, invalidArgument } from '../errors.ts';

/** A talosconfig with a fresh client certificate (reference/lifecycle-api-cli.md E.4). */
export function clientConfiguration(
  machine: Machine,
  request: {
    readonly roles: readonly string[];
    readonly crtTtl: { readonly seconds: number; readonly nanos: number } | null;
  },
) {
  const settings = controlPlaneSettings(machine.state);
  if (settings === undefined) {
    throw failedPrecondition("client configuration (talosconfig) can't be generated on worker nodes");
  }
  const ttlUs = request.crtTtl === null ? 0 : microseconds(request.crtTtl);
  if (ttlUs <= 0) throw invalidArgument('crt_ttl should be positive');
  const roles = request.roles.filter(isApiRole);
  const { ca } = settings.machine;
  const pair = new Issuer(machine.platform.crypto, machine.platform.clock, ca).issue({
    commonName: '',
    organizations: roles,
    hours: ttlUs / 3_600_000_000,
    usages: ['client-auth'],
    keySpec: 'ed25519',
  });
  const cluster = settings.cluster.name;
  const context = roles.length === 1 ? `${roles[0]!.replace(/^os:/, '')}@${cluster}` : cluster;
  const talosconfig = [
    `context: ${context}`,
    'contexts:',
    `    ${context}:`,
    '        endpoints: []',
    `        ca: ${base64(ca.crt)}`,
    `        crt: ${base64(pair.crt)}`,
    `        key: ${base64(pair.key)}`,
    '',
  ].join('\n');
  return {
    metadata: null,
    ca: utf8Encode(ca.crt),
    crt: utf8Encode(pair.crt),
    key: utf8Encode(pair.key),
    talosconfig: utf8Encode(talosconfig),
  };
}

function base64(text: string): string {
  return encodeBase64(utf8Encode(text));
}
