import type { NodeSettings } from '../../nodes/config/settings.ts';
import { CryptoError, type CryptoPort, certificateFromPem, keyPairFromPem } from '../../platform/crypto.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import type { TriedConfig } from './tried-config.ts';

export interface AuthorityCheck {
  /** When clocks begin, so that the certificates of all authorities are valid; undefined: any time does. */
  readonly epochUs: number | undefined;
  /** What cannot be used, by the name of the config. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
}

const SECOND_US = 1_000_000;
const DAY_SEC = 86_400;
/** Where clocks begin otherwise. */
const USUAL_EPOCH_SEC = 1_759_276_800;

/** Reads the certificate authorities that configs carry. */
export function checkAuthorities(configs: readonly TriedConfig[], crypto: CryptoPort): AuthorityCheck {
  const problems = new Map<string, string[]>();
  let notBeforeSec = 0;
  let notAfterSec = Number.MAX_SAFE_INTEGER;
  for (const { name, settings } of configs) {
    const own: string[] = [];
    problems.set(name, own);
    for (const { path, crt, key } of authoritiesOf(settings)) {
      if (crt === '') continue;
      try {
        const certificate = key === '' ? certificateFromPem(crypto, crt) : keyPairFromPem(crypto, crt, key).certificate;
        notBeforeSec = Math.max(notBeforeSec, certificate.notBeforeSec);
        notAfterSec = Math.min(notAfterSec, certificate.notAfterSec);
      } catch (error) {
        if (!(error instanceof CryptoError)) throw error;
        own.push(`${path} cannot be used: ${error.message}`);
      }
    }
  }
  if (notBeforeSec >= notAfterSec) {
    const text = `no time suits all certificates: one is valid from ${rfc3339(notBeforeSec * SECOND_US)}, another until ${rfc3339(notAfterSec * SECOND_US)}`;
    for (const own of problems.values()) own.push(text);
    return { epochUs: undefined, problems };
  }
  const suits = USUAL_EPOCH_SEC >= notBeforeSec && USUAL_EPOCH_SEC + DAY_SEC < notAfterSec;
  if (suits) return { epochUs: undefined, problems };
  const intoSec = Math.min(DAY_SEC, Math.floor((notAfterSec - notBeforeSec) / 2));
  return { epochUs: (notBeforeSec + intoSec) * SECOND_US, problems };
}

function authoritiesOf(
  settings: NodeSettings,
): { readonly path: string; readonly crt: string; readonly key: string }[] {
  const { machine, cluster } = settings;
  const isControlPlane = settings.machineType !== 'worker';
  return [
    { path: 'machine.ca', ...machine.ca },
    { path: 'cluster.ca', ...cluster.ca },
    ...(isControlPlane ? [{ path: 'cluster.aggregatorCA', ...cluster.aggregatorCa }] : []),
    ...(isControlPlane && cluster.etcd !== null ? [{ path: 'cluster.etcd.ca', ...cluster.etcd.ca }] : []),
  ];
}
