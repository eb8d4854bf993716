import type { Controller, Reader } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { hostPrefix } from '../../net/addresses.ts';
import { IpSet } from '../../net/ip-set.ts';
import { type AffiliateSpec, Affiliates, Identities, type KubeSpanAffiliateSpec } from '../../resources/cluster.ts';
import { KUBESPAN, KubeSpanConfigs, KubeSpanPeerSpecs } from '../../resources/kubespan.ts';

interface Candidate {
  readonly affiliate: AffiliateSpec;
  readonly kubespan: KubeSpanAffiliateSpec;
}

/** The other machines of the mesh, from what discovery knows. Of two that claim an address the first has it. */
export const kubeSpanPeerSpecController: Controller = passController({
  name: 'kubespan.PeerSpecController',
  inputs: [weak(KubeSpanConfigs, KUBESPAN), weak(Affiliates), weak(Identities, 'local')],
  outputs: [exclusive(KubeSpanPeerSpecs)],
  pass: (context) => {
    context.startTrackingOutputs();
    const claimed: string[] = [];
    for (const { affiliate, kubespan } of candidates(context)) {
      const own = new IpSet();
      for (const prefix of [...kubespan.additionalAddresses, ...affiliate.addresses.map(hostPrefix)]) own.add(prefix);
      own.add(hostPrefix(kubespan.address));
      for (const prefix of claimed) own.remove(prefix);
      const allowedIPs = own.prefixes();
      claimed.push(...allowedIPs);
      context.set(KubeSpanPeerSpecs, kubespan.publicKey, {
        address: kubespan.address,
        allowedIPs,
        endpoints: kubespan.endpoints,
        label: affiliate.nodename,
      });
    }
    context.cleanupOutputs(KubeSpanPeerSpecs);
    return undefined;
  },
});

/** Every other affiliate that has a key, by its id; none while KubeSpan is off. */
function candidates(context: Reader): readonly Candidate[] {
  const self = context.get(Identities, 'local')?.spec.nodeId;
  if (context.get(KubeSpanConfigs, KUBESPAN)?.spec.enabled !== true || self === undefined) return [];
  return context.list(Affiliates).flatMap(({ spec }) => {
    const { kubespan } = spec;
    const takesPart = spec.nodeId !== self && kubespan !== undefined && kubespan.publicKey !== '';
    return takesPart ? [{ affiliate: spec, kubespan }] : [];
  });
}
