import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { Affiliates } from '../../resources/cluster.ts';
import { KUBESPAN, KubeSpanConfigs, KubeSpanEndpoints, KubeSpanPeerStatuses } from '../../resources/kubespan.ts';

/** With `harvestExtraEndpoints`: where this machine hears its peers, so that others may try that, too. */
export const kubeSpanEndpointController: Controller = passController({
  name: 'kubespan.EndpointController',
  inputs: [weak(KubeSpanConfigs, KUBESPAN), weak(Affiliates), weak(KubeSpanPeerStatuses)],
  outputs: [exclusive(KubeSpanEndpoints)],
  pass: (context) => {
    context.startTrackingOutputs();
    if (context.get(KubeSpanConfigs, KUBESPAN)?.spec.harvestExtraEndpoints === true) {
      const owners = new Map<string, string>();
      for (const { spec } of context.list(Affiliates)) {
        if (spec.kubespan !== undefined) owners.set(spec.kubespan.publicKey, spec.nodeId);
      }
      for (const { metadata, spec } of context.list(KubeSpanPeerStatuses)) {
        const affiliateID = owners.get(metadata.id);
        if (spec.state !== 'up' || spec.endpoint === '' || affiliateID === undefined) continue;
        context.set(KubeSpanEndpoints, metadata.id, { affiliateID, endpoint: spec.endpoint });
      }
    }
    context.cleanupOutputs(KubeSpanEndpoints);
    return undefined;
  },
});
