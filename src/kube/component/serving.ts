import type { Process } from '../../platform/containers.ts';
import { NetError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { httpValue } from '../../rpc/http/message.ts';
import { serveHttp } from '../../rpc/http/server.ts';
import { jsonCodec } from '../client/json.ts';

const YEAR_SEC = 31_536_000;

/** A serving certificate that a component signs itself at its start. */
export function selfSigned(
  platform: Platform,
  commonName: string,
): { readonly certificatePem: string; readonly keyPem: string } {
  const { crypto, clock } = platform;
  const nowSec = Math.floor(clock.nowUs() / 1_000_000);
  const pair = crypto.selfSignedAuthority({
    subject: { commonName },
    keySpec: 'ecdsa-p256',
    notBeforeSec: nowSec,
    notAfterSec: nowSec + YEAR_SEC,
  });
  return { certificatePem: crypto.certificateToPem(pair.certificate), keyPem: crypto.privateKeyToPem(pair.key) };
}

/** `/healthz`, `/livez` and `/readyz` of kube-controller-manager and kube-scheduler; false when the port is taken. */
export function* serveComponentHealth(process: Process, address: string, port: number): Task<boolean> {
  const tls = selfSigned(process.platform, 'localhost');
  try {
    yield* serveHttp(process.platform, {
      address,
      port,
      tls,
      *handler({ target }) {
        const known = target === '/healthz' || target === '/livez' || target === '/readyz';
        return { status: known ? 200 : 404, body: httpValue(jsonCodec, known ? 'ok' : '404 page not found') };
      },
    });
    return true;
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    process.print(`Error: failed to create listener: failed to listen on ${address}:${port}: ${error.message}`);
    return false;
  }
}
