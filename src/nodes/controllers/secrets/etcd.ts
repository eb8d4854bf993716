import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import type { Machine } from '../../machine.ts';
import { addressOf, isIpv6 } from '../../net/addresses.ts';
import { ETCD } from '../../resources/etcd.ts';
import { HostnameStatuses, NetworkStatuses, NodeAddresses } from '../../resources/network.ts';
import { TimeStatuses } from '../../resources/runtime.ts';
import { EtcdRootSecrets, EtcdSecrets } from '../../resources/secrets.ts';
import { Issuer, TEN_YEARS_HOURS } from '../../secrets/issue.ts';
import { fqdn } from '../network/hostname-spec.ts';

/** etcd's certificates, issued anew whenever an input changes (reference/controllers.md B.1.6). */
export function etcdSecretsController(machine: Machine): Controller {
  return passController({
    name: 'secrets.EtcdController',
    inputs: [
      weak(EtcdRootSecrets, ETCD),
      weak(NetworkStatuses, 'status'),
      weak(TimeStatuses, 'node'),
      weak(HostnameStatuses, 'hostname'),
      weak(NodeAddresses, 'accumulative-no-k8s'),
    ],
    outputs: [exclusive(EtcdSecrets)],
    pass: (context) => {
      const root = context.get(EtcdRootSecrets, ETCD);
      const network = context.get(NetworkStatuses, 'status');
      const hostname = context.get(HostnameStatuses, 'hostname');
      const addresses = context.get(NodeAddresses, 'accumulative-no-k8s');
      if (root === undefined || hostname === undefined || addresses === undefined) return undefined;
      if (network?.spec.addressReady !== true || !network.spec.hostnameReady) return undefined;
      if (context.get(TimeStatuses, 'node')?.spec.synced !== true) return undefined;

      const ips = addresses.spec.addresses.map(addressOf);
      const loopback = ips.some(isIpv6) ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
      const names = [...ips, ...loopback, hostname.spec.hostname, fqdn(hostname.spec)];
      const issuer = new Issuer(machine.platform.crypto, machine.platform.clock, root.spec.etcdCA);
      const both = ['server-auth', 'client-auth'] as const;
      const common = { hours: TEN_YEARS_HOURS, keySpec: 'ecdsa-p256' } as const;
      context.set(EtcdSecrets, ETCD, {
        etcd: issuer.issue({
          ...common,
          commonName: hostname.spec.hostname,
          names: [...names, 'localhost'],
          usages: both,
        }),
        etcdPeer: issuer.issue({ ...common, commonName: hostname.spec.hostname, names, usages: both }),
        etcdAdmin: issuer.issue({ ...common, commonName: 'talos', usages: ['client-auth'] }),
        etcdApiServer: issuer.issue({ ...common, commonName: 'kube-apiserver', usages: ['client-auth'] }),
      });
      return undefined;
    },
  });
}
