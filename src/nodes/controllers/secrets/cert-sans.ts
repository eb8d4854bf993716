import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { ipBytes } from '../../../platform/x509/ip.ts';
import { addressOf } from '../../net/addresses.ts';
import { HostnameStatuses, NodeAddresses } from '../../resources/network.ts';
import { CertSans, KubernetesRootSecrets, OsRootSecrets } from '../../resources/secrets.ts';
import { fqdn } from '../network/hostname-spec.ts';

/** Names in the certificates of the Talos API and of trustd. */
export const apiCertSansController: Controller = passController({
  name: 'secrets.APICertSANsController',
  inputs: [weak(OsRootSecrets, 'os'), weak(HostnameStatuses, 'hostname'), weak(NodeAddresses, 'accumulative')],
  outputs: [shared(CertSans)],
  pass: (context) => {
    const root = context.get(OsRootSecrets, 'os');
    const hostname = context.get(HostnameStatuses, 'hostname');
    const addresses = context.get(NodeAddresses, 'accumulative');
    if (root === undefined || hostname === undefined || addresses === undefined) return undefined;
    const names = [...root.spec.certSANDNSNames, hostname.spec.hostname, fqdn(hostname.spec)];
    context.set(CertSans, 'api', {
      ips: unique([...root.spec.certSANIPs, ...addresses.spec.addresses.map(addressOf)]),
      dnsNames: unique(names),
      fqdn: fqdn(hostname.spec),
    });
    return undefined;
  },
});

/** Names in the certificate of the Kubernetes API server. */
export const kubernetesCertSansController: Controller = passController({
  name: 'secrets.KubernetesCertSANsController',
  inputs: [
    weak(KubernetesRootSecrets, 'k8s'),
    weak(HostnameStatuses, 'hostname'),
    weak(NodeAddresses, 'accumulative-no-k8s'),
  ],
  outputs: [shared(CertSans)],
  pass: (context) => {
    const root = context.get(KubernetesRootSecrets, 'k8s');
    const hostname = context.get(HostnameStatuses, 'hostname');
    const addresses = context.get(NodeAddresses, 'accumulative-no-k8s');
    if (root === undefined || hostname === undefined || addresses === undefined) return undefined;
    const { certSANs, dnsDomain, apiServerIPs } = root.spec;
    const service = [
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      `kubernetes.default.svc.${dnsDomain}`,
    ];
    const given = [...certSANs, hostname.spec.hostname, fqdn(hostname.spec), 'localhost', ...service];
    context.set(CertSans, 'k8s', {
      ips: unique([
        ...given.filter((name) => ipBytes(name) !== null),
        ...addresses.spec.addresses.map(addressOf),
        ...apiServerIPs,
        '127.0.0.1',
      ]),
      dnsNames: unique(given.filter((name) => ipBytes(name) === null)),
      fqdn: fqdn(hostname.spec),
    });
    return undefined;
  },
});

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
