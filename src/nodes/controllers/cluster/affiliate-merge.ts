import type { Controller } from '../../../cosi/index.ts';
import { inNamespace, passController, shared, weak } from '../../../cosi/index.ts';
import { type AffiliateSpec, Affiliates, type KubeSpanAffiliateSpec, RAW_AFFILIATES } from '../../resources/cluster.ts';

export const RawAffiliates = inNamespace(Affiliates, RAW_AFFILIATES);

/** One record for each machine from what the registries say of it (reference/network-config.md C.5). */
export const affiliateMergeController: Controller = passController({
  name: 'cluster.AffiliateMergeController',
  inputs: [weak(RawAffiliates)],
  outputs: [shared(Affiliates)],
  pass: (context) => {
    const merged = new Map<string, AffiliateSpec>();
    for (const { spec } of context.list(RawAffiliates)) {
      const known = merged.get(spec.nodeId);
      merged.set(spec.nodeId, known === undefined ? spec : merge(known, spec));
    }
    context.startTrackingOutputs();
    for (const [id, spec] of merged) context.set(Affiliates, id, spec);
    context.cleanupOutputs(Affiliates);
    return undefined;
  },
});

/** Later entries fill in and override; the operating system of the first one stays (quirk). */
function merge(first: AffiliateSpec, later: AffiliateSpec): AffiliateSpec {
  return {
    ...first,
    addresses: [...new Set([...first.addresses, ...later.addresses])],
    hostname: later.hostname === '' ? first.hostname : later.hostname,
    nodename: later.nodename === '' ? first.nodename : later.nodename,
    machineType: later.machineType,
    ...mergedKubeSpan(first.kubespan, later.kubespan),
    controlPlane: later.controlPlane ?? first.controlPlane,
  };
}

function mergedKubeSpan(
  first: KubeSpanAffiliateSpec | undefined,
  later: KubeSpanAffiliateSpec | undefined,
): Pick<AffiliateSpec, 'kubespan'> {
  const known = first ?? later;
  if (known === undefined) return {};
  if (first === undefined || later === undefined) return { kubespan: known };
  const union = (a: readonly string[], b: readonly string[]): readonly string[] => [...new Set([...a, ...b])];
  return {
    kubespan: {
      publicKey: later.publicKey === '' ? first.publicKey : later.publicKey,
      address: later.address === '' ? first.address : later.address,
      additionalAddresses: union(first.additionalAddresses, later.additionalAddresses),
      endpoints: union(first.endpoints, later.endpoints),
    },
  };
}
