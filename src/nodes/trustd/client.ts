import { SecurityService } from '../../api/os/security.ts';
import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import type { Platform } from '../../platform/platform.ts';
import { retry } from '../../platform/retry.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import type { CertificateAndKey } from '../config/settings.ts';
import type { CertSanSpec, OsRootSpec } from '../resources/secrets.ts';
import { exponentialUnits } from '../retry.ts';

export const TRUSTD_PORT = 50001;

const LIMIT_US = 60_000_000;
const ATTEMPT_US = 10_000_000;
const UNIT_US = 1_000_000;

/** Has trustd on some control plane sign a server certificate for this machine (reference/corrections.md 1a-29). */
export function* requestCertificate(
  platform: Platform,
  wish: { readonly root: OsRootSpec; readonly sans: CertSanSpec; readonly addresses: readonly string[] },
): Task<CertificateAndKey> {
  const { crypto, clock, rpc } = platform;
  const key = crypto.generateKey('ed25519');
  const csr = crypto.createSigningRequest({
    subject: { commonName: wish.sans.fqdn },
    dnsNames: wish.sans.dnsNames,
    ipAddresses: wish.sans.ips,
    key,
  });
  const channel = rpc.channel(
    wish.addresses.map((address) => ({ address, port: TRUSTD_PORT })),
    { tls: { serverCaPem: wish.root.acceptedCAs.join('') } },
  );
  try {
    const options = { limitUs: LIMIT_US, pauseUs: exponentialUnits(UNIT_US), retryable: isRpcError };
    const reply = yield* retry(clock, options, () =>
      channel.unary(
        SecurityService.Certificate,
        { csr: utf8Encode(csr) },
        { timeoutUs: ATTEMPT_US, metadata: { token: wish.root.token } },
      ),
    );
    return { crt: utf8Decode(reply.crt), key: crypto.privateKeyToPem(key) };
  } finally {
    channel.close();
  }
}

function isRpcError(error: unknown): boolean {
  return error instanceof RpcError;
}
