import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import type { MachineNet } from '../../../platform/net.ts';
import { addressOf } from '../../net/addresses.ts';
import { HostnameStatuses, NodeAddresses, ResolverStatuses } from '../../resources/network.ts';
import { EtcFileStatuses } from '../../resources/runtime.ts';
import type { FileStore } from '../../storage/files.ts';
import { fqdn } from './hostname-spec.ts';

/** Writes /etc/hosts and /etc/resolv.conf, from which every process on the machine takes its name servers. */
export function etcFileController(files: FileStore, net: MachineNet): Controller {
  return passController({
    name: 'network.EtcFileController',
    inputs: [weak(HostnameStatuses, 'hostname'), weak(NodeAddresses, 'default'), weak(ResolverStatuses, 'resolvers')],
    outputs: [shared(EtcFileStatuses)],
    pass: function* (context) {
      const resolvers = context.get(ResolverStatuses, 'resolvers');
      if (resolvers !== undefined) {
        const servers = resolvers.spec.dnsServers.slice(0, 3);
        yield* files.write('/etc/resolv.conf', `${servers.map((server) => `nameserver ${server}`).join('\n')}\n`);
        net.setNameservers(servers);
        context.set(EtcFileStatuses, 'resolv.conf', { specVersion: `${resolvers.metadata.version}` });
      }
      const hostname = context.get(HostnameStatuses, 'hostname');
      const address = context.get(NodeAddresses, 'default')?.spec.addresses[0];
      if (hostname !== undefined && address !== undefined) {
        const names = [...new Set([fqdn(hostname.spec), hostname.spec.hostname])].join(' ');
        yield* files.write('/etc/hosts', `127.0.0.1 localhost\n${addressOf(address)} ${names}\n::1 localhost\n`);
        context.set(EtcFileStatuses, 'hosts', { specVersion: `${hostname.metadata.version}` });
      }
    },
  });
}
