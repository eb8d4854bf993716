/** Where rendered files of static pods lie (reference/controllers.md E.2). */
export const APISERVER_SECRETS = '/system/secrets/kubernetes/kube-apiserver';
export const CONTROLLER_MANAGER_SECRETS = '/system/secrets/kubernetes/kube-controller-manager';
export const SCHEDULER_SECRETS = '/system/secrets/kubernetes/kube-scheduler';
export const APISERVER_CONFIG = '/system/config/kubernetes/kube-apiserver';
export const SCHEDULER_CONFIG = '/system/config/kubernetes/kube-scheduler';
export const AUDIT_LOG = '/var/log/audit/kube';

export const KUBELET_KUBECONFIG = '/etc/kubernetes/kubeconfig-kubelet';
export const KUBELET_BOOTSTRAP_KUBECONFIG = '/etc/kubernetes/bootstrap-kubeconfig';
export const KUBELET_CONFIG = '/etc/kubernetes/kubelet.yaml';
export const KUBELET_CREDENTIAL_PROVIDERS = '/etc/kubernetes/kubelet-credentialproviderconfig.yaml';
export const KUBELET_CREDENTIAL_PROVIDER_PROGRAMS = '/usr/local/lib/kubelet/credentialproviders';
export const KUBELET_CA = '/etc/kubernetes/pki/ca.crt';
export const KUBELET_PKI = '/var/lib/kubelet/pki';

const OVERLAID = '/etc/kubernetes';
const OVERLAY = '/var/system/overlays/etc-kubernetes';

/** Where a path of the kubelet's tree really lies: /etc/kubernetes is an overlay on EPHEMERAL, so it survives reboots. */
export function onHost(path: string): string {
  return path === OVERLAID || path.startsWith(`${OVERLAID}/`) ? OVERLAY + path.slice(OVERLAID.length) : path;
}
