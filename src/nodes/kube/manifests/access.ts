import type { ConfigObject } from '../../../config/schema/types.ts';
import type { BootstrapManifestsConfigSpec } from '../../resources/k8s-control-plane.ts';
import type { KubernetesRootSpec } from '../../resources/secrets.ts';
import { clusterRole, clusterRoleBinding, configMap, group, rule } from './parts.ts';

/** Who may join and what nodes may do (reference/controllers.md B.3.2). */

export function bootstrapTokenSecret(root: KubernetesRootSpec): readonly ConfigObject[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `bootstrap-token-${root.bootstrapTokenID}`, namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': root.bootstrapTokenID,
        'token-secret': root.bootstrapTokenSecret,
        'usage-bootstrap-authentication': 'true',
        'auth-extra-groups': 'system:bootstrappers:nodes',
      },
    },
  ];
}

export function nodeBootstrapper(): readonly ConfigObject[] {
  const subjects = [group('system:bootstrappers:nodes'), group('system:nodes')];
  return [clusterRoleBinding('system-bootstrap-node-bootstrapper', 'system:node-bootstrapper', subjects)];
}

export function csrApprover(): readonly ConfigObject[] {
  const role = 'system:certificates.k8s.io:certificatesigningrequests:nodeclient';
  return [clusterRoleBinding('system-bootstrap-approve-node-client-csr', role, [group('system:bootstrappers:nodes')])];
}

export function csrRenewal(): readonly ConfigObject[] {
  const role = 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient';
  return [clusterRoleBinding('system-bootstrap-node-renewal', role, [group('system:nodes')])];
}

export function kubeconfigInCluster(config: BootstrapManifestsConfigSpec): readonly ConfigObject[] {
  const mounted = '/var/run/secrets/kubernetes.io/serviceaccount';
  const text = [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority: ${mounted}/ca.crt`,
    `    server: ${config.server}`,
    '  name: local',
    'contexts:',
    '- context:',
    '    cluster: local',
    '    user: service-account',
    '  name: local',
    'current-context: local',
    'kind: Config',
    'users:',
    '- name: service-account',
    '  user:',
    `    tokenFile: ${mounted}/token`,
    '',
  ].join('\n');
  return [configMap('kubeconfig-in-cluster', { kubeconfig: text })];
}

export function talosNodes(): readonly ConfigObject[] {
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
  const slices = rule(['discovery.k8s.io'], ['endpointslices'], ['get', 'list', 'watch']);
  return [
    clusterRoleBinding('system:talos-nodes', 'system:talos-nodes', [group('system:nodes')], labels),
    clusterRole('system:talos-nodes', [slices], labels),
  ];
}
