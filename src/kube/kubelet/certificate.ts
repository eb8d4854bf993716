import { decodeBase64, encodeBase64 } from '../../platform/base64.ts';
import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { parentOf, writeDurably } from '../../platform/disk.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import type { KubeClient } from '../client/client.ts';
import { connect, readText } from '../component/connect.ts';
import { kubeletCertified } from '../events.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { findResource } from '../objects/resources.ts';
import type { KubeletSettings } from './settings.ts';

const REQUESTS = findResource('certificates.k8s.io/v1', 'certificatesigningrequests')!;
const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
/** Waits between attempts: 2, 4, 8, 16 s, then every 32 s (reference/corrections.md timeline b, row 10). */
const RETRY_FIRST_US = 2_000_000;
const RETRY_MAX_US = 32_000_000;
const POLL_US = 1_000_000;
const SIGNED_LIMIT_US = 900_000_000;

/** Makes sure that the kubelet has a client certificate and a kubeconfig that uses it. */
export function* obtainCertificate(platform: Platform, settings: KubeletSettings, kubeconfigPath: string): Task<void> {
  if (
    (yield* readText(platform, settings.certificatePath)) !== undefined &&
    (yield* readText(platform, kubeconfigPath)) !== undefined
  )
    return;
  let pauseUs = RETRY_FIRST_US;
  for (;;) {
    try {
      const client = yield* connect(platform, settings.bootstrapKubeconfigPath, 30_000_000);
      if (client !== undefined) {
        try {
          yield* request(platform, settings, kubeconfigPath, client);
          return;
        } finally {
          client.close();
        }
      }
    } catch (error) {
      if (!(error instanceof KubeError) && !(error instanceof HttpError)) throw error;
    }
    yield* platform.clock.sleep(pauseUs);
    pauseUs = Math.min(RETRY_MAX_US, pauseUs * 2);
  }
}

/** One signing request from its creation to the stored certificate. */
function* request(
  platform: Platform,
  settings: KubeletSettings,
  kubeconfigPath: string,
  client: KubeClient,
): Task<void> {
  const { crypto, clock } = platform;
  const key = crypto.generateKey('ecdsa-p256');
  const pem = crypto.createSigningRequest({
    subject: { commonName: `system:node:${settings.nodeName}`, organizations: ['system:nodes'] },
    key,
  });
  const created = yield* client.create(REQUESTS, undefined, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: '', generateName: 'csr-' },
    spec: { request: encodeBase64(utf8Encode(pem)), signerName: SIGNER, usages: ['digital signature', 'client auth'] },
  });
  const deadlineUs = clock.monotonicUs() + SIGNED_LIMIT_US;
  while (clock.monotonicUs() < deadlineUs) {
    const current = yield* unlessUnreachable(client.get(REQUESTS, undefined, created.metadata.name));
    const base64 = (current?.status as { certificate?: string } | undefined)?.certificate ?? '';
    const bytes = base64 === '' ? null : decodeBase64(base64);
    if (bytes !== null) {
      yield* store(platform, settings, kubeconfigPath, utf8Decode(bytes) + crypto.privateKeyToPem(key));
      platform.log.event(kubeletCertified, { node: settings.nodeName });
      return;
    }
    yield* clock.sleep(POLL_US);
  }
  throw new KubeError('Timeout', 'timed out waiting for the certificate to be signed');
}

/** A request that was made stays good while the API server cannot be reached. */
function* unlessUnreachable(task: Task<KubeObject>): Task<KubeObject | undefined> {
  try {
    return yield* task;
  } catch (error) {
    if (error instanceof HttpError || (error instanceof KubeError && error.code >= 500)) return undefined;
    throw error;
  }
}

/** Writes the certificate with its key, and the kubeconfig: the bootstrap one with the token replaced. */
function* store(platform: Platform, settings: KubeletSettings, kubeconfigPath: string, pem: string): Task<void> {
  yield* platform.disk.makeDirectory(parentOf(settings.certificatePath));
  yield* writeDurably(platform.disk, settings.certificatePath, utf8Encode(pem));
  const bootstrap = (yield* readText(platform, settings.bootstrapKubeconfigPath)) ?? '';
  const user = `client-certificate: ${settings.certificatePath}\n    client-key: ${settings.certificatePath}`;
  yield* writeDurably(platform.disk, kubeconfigPath, utf8Encode(bootstrap.replace(/token: .*/, () => user)));
}
