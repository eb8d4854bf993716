/** Values that generated configs share (reference/network-config.md E.8). */

import type { ConfigObject } from '../schema/types.ts';

export const KUBELET_IMAGE = 'ghcr.io/siderolabs/kubelet';
export const API_SERVER_IMAGE = 'registry.k8s.io/kube-apiserver';
export const CONTROLLER_MANAGER_IMAGE = 'registry.k8s.io/kube-controller-manager';
export const SCHEDULER_IMAGE = 'registry.k8s.io/kube-scheduler';
export const PROXY_IMAGE = 'registry.k8s.io/kube-proxy';

export const KUBE_PRISM_PORT = 7445;
export const DISCOVERY_ENDPOINT = 'https://discovery.talos.dev/';

export const CONTROL_PLANE_LABEL = 'node-role.kubernetes.io/control-plane';
export const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Pod security: baseline enforced, restricted warned about and audited, kube-system exempt. */
export const POD_SECURITY: ConfigObject = Object.freeze({
  apiVersion: 'pod-security.admission.config.k8s.io/v1alpha1',
  defaults: {
    audit: 'restricted',
    'audit-version': 'latest',
    enforce: 'baseline',
    'enforce-version': 'latest',
    warn: 'restricted',
    'warn-version': 'latest',
  },
  exemptions: { namespaces: ['kube-system'], runtimeClasses: [], usernames: [] },
  kind: 'PodSecurityConfiguration',
});

export const AUDIT_POLICY: ConfigObject = Object.freeze({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [{ level: 'Metadata' }],
});
