import type { Controller } from '../../../cosi/index.ts';
import { inNamespace, passController, shared, weak } from '../../../cosi/index.ts';
import { type AffiliateSpec, Affiliates, RAW_AFFILIATES } from '../../resources/cluster.ts';

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
    controlPlane: later.controlPlane ?? first.controlPlane,
  };
}
