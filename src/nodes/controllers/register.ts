import type { Controller } from '../../cosi/index.ts';
import type { Machine } from '../machine.ts';
import { discoveryController } from './block/discovery.ts';
import { disksController } from './block/disks.ts';
import { affiliateMergeController } from './cluster/affiliate-merge.ts';
import { discoveryConfigController, infoController } from './cluster/discovery-config.ts';
import { discoveryServiceController } from './cluster/discovery-service.ts';
import { endpointController } from './cluster/endpoint.ts';
import { localAffiliateController } from './cluster/local-affiliate.ts';
import { memberController } from './cluster/member.ts';
import { nodeIdentityController } from './cluster/node-identity.ts';
import { machineTypeController } from './config/machine-type.ts';
import { persistenceController } from './config/persistence.ts';
import { advertisedPeerController } from './etcd/advertised-peer.ts';
import { etcdConfigController } from './etcd/config.ts';
import { etcdMemberController } from './etcd/member.ts';
import { etcdPkiController } from './etcd/pki.ts';
import { etcdSpecController } from './etcd/spec.ts';
import { addressFilterController } from './k8s/address-filter.ts';
import { bootstrapManifestsConfigController } from './k8s/bootstrap-manifests-config.ts';
import { controlPlaneConfigControllers } from './k8s/control-plane-configs.ts';
import { controlPlaneStaticPodController } from './k8s/control-plane-static-pod.ts';
import { kubernetesEndpointController } from './k8s/endpoint.ts';
import { kubeletConfigController } from './k8s/kubelet-config.ts';
import { kubeletServiceController } from './k8s/kubelet-service.ts';
import { kubeletSpecController } from './k8s/kubelet-spec.ts';
import { kubeletStaticPodController } from './k8s/kubelet-static-pod.ts';
import { kubePrismController } from './k8s/kubeprism.ts';
import { kubePrismConfigController } from './k8s/kubeprism-config.ts';
import { kubePrismEndpointsController } from './k8s/kubeprism-endpoints.ts';
import { extraManifestController, manifestController } from './k8s/manifest.ts';
import { manifestApplyController } from './k8s/manifest-apply.ts';
import { nodeApplyController } from './k8s/node-apply.ts';
import { nodeIpController } from './k8s/node-ip.ts';
import { nodeIpConfigController } from './k8s/node-ip-config.ts';
import {
  nodeAnnotationSpecController,
  nodeCordonedSpecController,
  nodeLabelSpecController,
  nodeTaintSpecController,
} from './k8s/node-specs.ts';
import { nodeStatusController } from './k8s/node-status.ts';
import { nodenameController } from './k8s/nodename.ts';
import { renderConfigsStaticPodController } from './k8s/render-configs-static-pod.ts';
import { renderSecretsStaticPodController } from './k8s/render-secrets-static-pod.ts';
import { staticEndpointController } from './k8s/static-endpoint.ts';
import { staticPodConfigController } from './k8s/static-pod-config.ts';
import { staticPodServerController } from './k8s/static-pod-server.ts';
import { kubeSpanConfigController } from './kubespan/config.ts';
import { kubeSpanEndpointController } from './kubespan/endpoint.ts';
import { kubeSpanIdentityController } from './kubespan/identity.ts';
import { kubeSpanManagerController } from './kubespan/manager.ts';
import { kubeSpanPeerSpecController } from './kubespan/peer-spec.ts';
import { addressConfigController } from './network/address-config.ts';
import { addressEventController } from './network/address-event.ts';
import { addressSpecController } from './network/address-spec.ts';
import { addressStatusController } from './network/address-status.ts';
import { etcFileController } from './network/etc-file.ts';
import { hostnameConfigController } from './network/hostname-config.ts';
import { hostnameSpecController } from './network/hostname-spec.ts';
import { linkConfigController } from './network/link-config.ts';
import { linkSpecController } from './network/link-spec.ts';
import { linkStatusController } from './network/link-status.ts';
import { mergeControllers } from './network/merges.ts';
import { nodeAddressController } from './network/node-address.ts';
import { operatorConfigController } from './network/operator-config.ts';
import { operatorSpecController } from './network/operator-spec.ts';
import { operatorVipConfigController } from './network/operator-vip-config.ts';
import { resolverConfigController, resolverSpecController } from './network/resolver.ts';
import { routeConfigController } from './network/route-config.ts';
import { routeSpecController } from './network/route-spec.ts';
import { routeStatusController } from './network/route-status.ts';
import { networkStatusController } from './network/status.ts';
import { timeServerConfigController, timeServerSpecController } from './network/time-server.ts';
import { diagnosticsController } from './runtime/diagnostics.ts';
import { dropUpgradeFallbackController } from './runtime/drop-upgrade-fallback.ts';
import { extensionStatusController } from './runtime/extension-status.ts';
import { factsController } from './runtime/facts.ts';
import { machineStatusController } from './runtime/machine-status.ts';
import { apiController } from './secrets/api.ts';
import { apiCertSansController, kubernetesCertSansController } from './secrets/cert-sans.ts';
import { etcdSecretsController } from './secrets/etcd.ts';
import { kubeletSecretsController } from './secrets/kubelet.ts';
import { kubernetesSecretsController } from './secrets/kubernetes.ts';
import { kubernetesDynamicCertsController } from './secrets/kubernetes-dynamic-certs.ts';
import { maintenanceCertController } from './secrets/maintenance-cert.ts';
import { rootEtcdController, rootKubernetesController, rootOsController } from './secrets/roots.ts';
import { trustdController } from './secrets/trustd.ts';
import { timeSyncController } from './time/sync.ts';
import { serviceController } from './v1alpha1/service.ts';

/** Every controller of the machine. */
export function allControllers(machine: Machine): readonly Controller[] {
  return [
    ...runtimeControllers(machine),
    ...networkControllers(machine),
    ...secretsControllers(machine),
    ...clusterControllers(machine),
    ...kubeSpanControllers(machine),
  ];
}

function kubeSpanControllers(machine: Machine): readonly Controller[] {
  return [
    kubeSpanConfigController,
    kubeSpanIdentityController(machine),
    kubeSpanPeerSpecController,
    kubeSpanManagerController(machine),
    kubeSpanEndpointController,
  ];
}

function runtimeControllers(machine: Machine): readonly Controller[] {
  return [
    factsController(machine),
    extensionStatusController(machine),
    machineStatusController(machine),
    serviceController(machine.events),
    discoveryController(machine),
    disksController(machine),
    diagnosticsController(machine),
    dropUpgradeFallbackController(machine),
    machineTypeController,
    persistenceController(machine),
    timeSyncController(machine),
  ];
}

function networkControllers(machine: Machine): readonly Controller[] {
  const { net, log } = machine.platform;
  return [
    linkStatusController(net),
    addressStatusController(net),
    routeStatusController(net),
    linkConfigController,
    addressConfigController,
    routeConfigController,
    operatorConfigController,
    operatorVipConfigController,
    hostnameConfigController,
    timeServerConfigController,
    resolverConfigController,
    ...mergeControllers,
    linkSpecController(net),
    addressSpecController(net),
    routeSpecController(net),
    operatorSpecController(machine),
    hostnameSpecController(log),
    timeServerSpecController,
    resolverSpecController,
    addressFilterController,
    nodeAddressController,
    addressEventController(machine.events),
    networkStatusController,
    etcFileController(machine.files, machine.platform.net),
  ];
}

function secretsControllers(machine: Machine): readonly Controller[] {
  return [
    maintenanceCertController(machine),
    rootOsController,
    rootEtcdController,
    rootKubernetesController,
    apiCertSansController,
    kubernetesCertSansController,
    apiController(machine),
    trustdController(machine),
    etcdSecretsController(machine),
    kubernetesSecretsController(machine),
    kubernetesDynamicCertsController(machine),
    kubeletSecretsController,
  ];
}

function clusterControllers(machine: Machine): readonly Controller[] {
  return [
    nodeIdentityController(machine),
    discoveryConfigController,
    infoController,
    localAffiliateController(machine),
    discoveryServiceController(machine),
    affiliateMergeController,
    memberController(machine.platform.log),
    endpointController,
    staticEndpointController(machine.platform.net),
    etcdConfigController,
    etcdSpecController,
    etcdPkiController(machine.files),
    nodenameController,
    nodeIpConfigController,
    nodeIpController,
    kubePrismEndpointsController,
    kubePrismConfigController,
    kubePrismController(machine),
    ...controlPlaneConfigControllers,
    renderConfigsStaticPodController(machine.files),
    renderSecretsStaticPodController(machine),
    controlPlaneStaticPodController,
    staticPodConfigController,
    staticPodServerController(machine),
    kubeletConfigController,
    kubeletSpecController,
    kubeletServiceController(machine),
    etcdMemberController(machine),
    bootstrapManifestsConfigController(machine),
    manifestController,
    extraManifestController,
    manifestApplyController(machine),
    kubernetesEndpointController(machine),
    kubeletStaticPodController(machine),
    nodeLabelSpecController,
    nodeAnnotationSpecController,
    nodeTaintSpecController,
    nodeCordonedSpecController,
    nodeStatusController(machine),
    nodeApplyController(machine),
    advertisedPeerController(machine),
  ];
}
