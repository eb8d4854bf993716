import type { ConfigObject } from '../../../config/schema/types.ts';
import { ControllerError } from '../../../cosi/index.ts';
import type { BootstrapManifestsConfigSpec } from '../../resources/k8s-control-plane.ts';
import type { KubernetesRootSpec } from '../../resources/secrets.ts';
import {
  bootstrapTokenSecret,
  csrApprover,
  csrRenewal,
  kubeconfigInCluster,
  nodeBootstrapper,
  talosNodes,
} from './access.ts';
import { coreDns, coreDnsService } from './coredns.ts';
import { flannel, kubeProxy } from './network.ts';

/** The bootstrap manifests by id; they are applied in the order of their ids (reference/controllers.md B.3.2). */
export function bootstrapManifests(
  config: BootstrapManifestsConfigSpec,
  root: KubernetesRootSpec,
): Readonly<Record<string, readonly ConfigObject[]>> {
  if (config.podSecurityPolicyEnabled) {
    throw new ControllerError(
      'pod security policies are not supported anymore, please remove the flag from the configuration',
    );
  }
  return {
    '00-kubelet-bootstrapping-token': bootstrapTokenSecret(root),
    '01-csr-node-bootstrap': nodeBootstrapper(),
    '01-csr-approver-role-binding': csrApprover(),
    '01-csr-renewal-role-binding': csrRenewal(),
    '11-kube-config-in-cluster': kubeconfigInCluster(config),
    '11-talos-node-rbac-template': talosNodes(),
    ...(config.coreDNSEnabled ? { '11-core-dns': coreDns(config), '11-core-dns-svc': coreDnsService(config) } : {}),
    ...(config.flannelEnabled ? { '05-flannel': flannel(config) } : {}),
    ...(config.proxyEnabled ? { '10-kube-proxy': kubeProxy(config) } : {}),
  };
}
