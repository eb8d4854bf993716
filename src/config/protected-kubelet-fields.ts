/** Fields of the KubeletConfiguration that Talos keeps to itself: validation and the node refuse them (reference/v1.11.3.md 17.4). */
export const PROTECTED_KUBELET_FIELDS: readonly string[] = Object.freeze([
  'apiVersion',
  'authentication',
  'authorization',
  'cgroupRoot',
  'kind',
  'kubeletCgroups',
  'port',
  'protectKernelDefaults',
  'resolvConf',
  'rotateCertificates',
  'systemCgroups',
  'staticPodPath',
  'seccompDefault',
]);
