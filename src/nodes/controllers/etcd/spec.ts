import { type Reader, SKIP, transformController, weak } from '../../../cosi/index.ts';
import { addressOf, filterIps, isIpv6 } from '../../net/addresses.ts';
import { type EtcdConfigSpec, EtcdConfigs, type EtcdSpecSpec, EtcdSpecs } from '../../resources/etcd.ts';
import { HostnameStatuses, NodeAddresses } from '../../resources/network.ts';

/** Name and addresses of the local member (reference/controllers.md B.1.2, reference/v1.11.3.md 2.2). */
export const etcdSpecController = transformController<EtcdConfigSpec, EtcdSpecSpec>({
  name: 'etcd.SpecController',
  input: EtcdConfigs,
  output: EtcdSpecs,
  extraInputs: [weak(HostnameStatuses, 'hostname'), weak(NodeAddresses)],
  map: (config) => config.metadata.id,
  compute: ({ spec: config }, reader) => {
    const hostname = reader.get(HostnameStatuses, 'hostname');
    const routed = addresses(reader, 'routed-no-k8s');
    const current = addresses(reader, 'current-no-k8s');
    if (hostname === undefined || routed === undefined || current === undefined || routed.length === 0) return SKIP;
    const advertised = advertisedAddresses(config, routed, current);
    const { peer, client } = listenAddresses(config, routed);
    if (advertised.length === 0 || peer.length === 0) return SKIP;
    return {
      name: hostname.spec.hostname,
      advertisedAddresses: advertised,
      listenPeerAddresses: peer,
      listenClientAddresses: client,
      image: config.image,
      extraArgs: config.extraArgs,
    };
  },
});

function addresses(reader: Reader, id: string): readonly string[] | undefined {
  return reader.get(NodeAddresses, id)?.spec.addresses.map(addressOf);
}

function advertisedAddresses(
  config: EtcdConfigSpec,
  routed: readonly string[],
  current: readonly string[],
): readonly string[] {
  const excludes = config.advertiseExcludeSubnets.map((subnet) => `!${subnet}`);
  if (config.advertiseValidSubnets.length === 0) {
    return filterIps(routed, ['0.0.0.0/0', '::/0', ...excludes]).slice(0, 1);
  }
  return filterIps(current, [...config.advertiseValidSubnets, ...excludes]);
}

function listenAddresses(
  config: EtcdConfigSpec,
  routed: readonly string[],
): { readonly peer: readonly string[]; readonly client: readonly string[] } {
  const networks = [...config.listenValidSubnets, ...config.listenExcludeSubnets.map((subnet) => `!${subnet}`)];
  const ipv6 = routed.some(isIpv6);
  if (networks.length === 0) {
    const wildcard = [ipv6 ? '::' : '0.0.0.0'];
    return { peer: wildcard, client: wildcard };
  }
  const peer = filterIps(routed, networks);
  return { peer, client: [ipv6 ? '::1' : '127.0.0.1', ...peer] };
}
