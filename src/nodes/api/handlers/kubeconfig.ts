import { gzipSync } from 'fflate';
import { utf8Encode } from '../../../platform/bytes.ts';
import { HOUR_US } from '../../../platform/clock.ts';
import { activeSettings } from '../../config/active.ts';
import { renderAdminKubeconfig } from '../../controllers/secrets/kubernetes.ts';
import type { Machine } from '../../machine.ts';
import { KubernetesRootSecrets } from '../../resources/secrets.ts';
import { Issuer } from '../../secrets/issue.ts';
import { failedPrecondition } from '../errors.ts';
import { requireControlPlane } from './etcd.ts';

const BLOCK_BYTES = 512;

/** A tar.gz with one file, `kubeconfig` (reference/lifecycle-api-cli.md E.4). */
export function kubeconfigArchive(machine: Machine): Uint8Array {
  const text = utf8Encode(adminKubeconfig(machine));
  return gzipSync(tarOf('kubeconfig', text, Math.floor(machine.platform.clock.nowUs() / 1_000_000)), { mtime: 0 });
}

/** A kubeconfig with a fresh admin certificate; `server` stands in for the cluster's endpoint. */
export function adminKubeconfig(machine: Machine, server = ''): string {
  requireControlPlane(machine, 'kubeconfig');
  const root = machine.state.get(KubernetesRootSecrets, 'k8s')?.spec;
  if (root === undefined) throw failedPrecondition('k8s API server CA config is not set');
  const client = new Issuer(machine.platform.crypto, machine.platform.clock, root.issuingCA).issue({
    commonName: 'admin',
    organizations: ['system:masters'],
    hours: activeSettings(machine.state)!.cluster.adminCertLifetimeUs / HOUR_US,
    usages: ['client-auth'],
    keySpec: 'ecdsa-p256',
  });
  return renderAdminKubeconfig(root, server === '' ? root.endpoint : server, client);
}

/** One regular file in a tar archive; like the original without the two empty blocks at the end. */
function tarOf(name: string, content: Uint8Array, mtimeSec: number): Uint8Array {
  const blocks = Math.ceil(content.length / BLOCK_BYTES);
  const tar = new Uint8Array((1 + blocks) * BLOCK_BYTES);
  const put = (at: number, text: string): void => tar.set(utf8Encode(text), at);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  put(0, name);
  put(100, octal(0o600, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(content.length, 11));
  put(136, octal(mtimeSec, 11));
  put(148, '        ');
  put(156, '0');
  put(257, 'ustar\u000000');
  let sum = 0;
  for (let i = 0; i < BLOCK_BYTES; i++) sum += tar[i]!;
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  tar.set(content, BLOCK_BYTES);
  return tar;
}
