/** Documents beside the legacy one, in the order in which they are generated (reference/network-config.md E.8, 2 to 11). */

import { compareText } from '../../platform/bytes.ts';
import type { ConfigObject } from '../schema/types.ts';
import { gatesOf } from './contract.ts';
import { DISCOVERY_ENDPOINT } from './defaults.ts';
import type { GenerateInput } from './input.ts';

/** A document's content below its header. */
export interface SideDocument {
  readonly kind: string;
  readonly name: string;
  readonly body: ConfigObject;
}

export function side(kind: string, body: ConfigObject, name = ''): SideDocument {
  return { kind, name, body };
}

/** Documents that both roles have. */
export function sideDocuments(input: GenerateInput): SideDocument[] {
  const gates = gatesOf(input.contract);
  return [
    ...(gates.kubernetesDocuments ? platformDocuments(input) : []),
    ...(gates.networkDocuments ? registryDocuments(input) : []),
    ...(gates.networkDocuments ? [side('HostnameConfig', { auto: 'stable' })] : []),
    ...(gates.kubeSpanDocument && input.options?.kubeSpan === true ? [side('KubeSpanConfig', { enabled: true })] : []),
  ];
}

function platformDocuments(input: GenerateInput): SideDocument[] {
  const { secrets, options = {} } = input;
  const documents: SideDocument[] = [];
  if (options.discovery ?? true) {
    documents.push(side('DiscoveryServiceConfig', { endpoint: DISCOVERY_ENDPOINT }, 'default'));
  }
  const identity = { clusterID: secrets.cluster.id, clusterSecret: secrets.cluster.secret };
  documents.push(side('DiscoveryIdentityConfig', identity));
  const disk = options.installDisk ?? '';
  if (disk !== '') documents.push(unattendedInstall(disk, options.installImage ?? ''));
  documents.push(side('ResolverConfig', { hostDNS: { enabled: true, forwardKubeDNSToHost: true } }));
  if (options.sysctls !== undefined && Object.keys(options.sysctls).length > 0) {
    documents.push(side('SysctlConfig', { params: sorted(options.sysctls) }));
  }
  documents.push(side('VolumeConfig', { mount: { secure: true } }, 'EPHEMERAL'));
  documents.push(side('FilesystemTrimConfig', { interval: '168h0m0s' }));
  documents.push(side('SecurityProfileConfig', { workloadIsolation: true }));
  return documents;
}

function unattendedInstall(disk: string, image: string): SideDocument {
  return side('UnattendedInstallConfig', {
    installer: image === '' ? {} : { image },
    provisioning: { diskSelector: { match: `disk.dev_path == ${JSON.stringify(disk)}` }, wipe: false },
  });
}

/** One document per registry, by name. */
function registryDocuments(input: GenerateInput): SideDocument[] {
  const mirrors = Object.entries(input.options?.registryMirrors ?? {});
  mirrors.sort(([a], [b]) => compareText(a, b));
  return mirrors.map(([host, endpoints]) =>
    side('RegistryMirrorConfig', { endpoints: endpoints.map((url) => ({ url })) }, host),
  );
}

function sorted(values: Readonly<Record<string, string>>): ConfigObject {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => compareText(a, b)));
}
