import { PROTECTED_KUBELET_FIELDS } from '../../config/protected-kubelet-fields.ts';
import type { ConfigObject, ConfigValue } from '../../config/schema/types.ts';
import { at, objectsAt, textAt } from '../../config/view.ts';
import { ControllerError } from '../../cosi/index.ts';
import type { KubeletConfigSpec } from '../resources/k8s.ts';
import { KUBELET_CA } from './paths.ts';

export const CONTROL_PLANE_TAINT = 'node-role.kubernetes.io/control-plane';

/** KubeletConfiguration: what Talos sets, what the user may set, and the defaults beside (reference/v1.11.3.md 17.4). */
export function kubeletConfiguration(spec: KubeletConfigSpec, controlPlane: boolean): ConfigObject {
  const { extraConfig } = spec;
  for (const field of PROTECTED_KUBELET_FIELDS) {
    if (Object.hasOwn(extraConfig, field)) throw new ControllerError(`field "${field}" can't be overridden`);
  }
  return {
    ...defaults(spec, controlPlane),
    ...extraConfig,
    ...fixed(spec),
    ...featureGates(spec),
    ...taints(spec, controlPlane),
  };
}

function defaults(spec: KubeletConfigSpec, controlPlane: boolean): ConfigObject {
  return {
    address: '0.0.0.0',
    oomScoreAdj: -450,
    clusterDomain: spec.clusterDomain,
    clusterDNS: spec.clusterDNS,
    serializeImagePulls: false,
    failSwapOn: false,
    systemReserved: {
      cpu: '50m',
      'ephemeral-storage': '256Mi',
      memory: controlPlane ? '512Mi' : '384Mi',
      pid: '100',
    },
    logging: { format: 'json' },
    shutdownGracePeriod: '30s',
    shutdownGracePeriodCriticalPods: '10s',
    streamingConnectionIdleTimeout: '5m0s',
    tlsMinVersion: 'VersionTLS13',
  };
}

function fixed(spec: KubeletConfigSpec): ConfigObject {
  const registers = !spec.skipNodeRegistration;
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    ...(spec.disableManifestsDirectory ? {} : { staticPodPath: '/etc/kubernetes/manifests' }),
    staticPodURL: spec.staticPodListURL,
    port: 10_250,
    authentication: {
      x509: { clientCAFile: KUBELET_CA },
      webhook: { enabled: registers },
      anonymous: { enabled: false },
    },
    authorization: { mode: registers ? 'Webhook' : 'AlwaysAllow' },
    cgroupRoot: '/',
    systemCgroups: '/system',
    kubeletCgroups: '/podruntime/kubelet',
    rotateCertificates: true,
    protectKernelDefaults: true,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    resolvConf: '/system/resolved/resolv.conf',
    ...(spec.defaultRuntimeSeccompEnabled ? { seccompDefault: true } : {}),
  };
}

function featureGates(spec: KubeletConfigSpec): ConfigObject {
  if (!spec.enableFSQuotaMonitoring) return {};
  const own = at(spec.extraConfig, 'featureGates');
  return {
    featureGates: { LocalStorageCapacityIsolationFSQuotaMonitoring: true, ...(own as ConfigObject | undefined) },
  };
}

/** One taint keeps ordinary pods off control planes, unless the user taints otherwise. */
function taints(spec: KubeletConfigSpec, controlPlane: boolean): ConfigObject {
  const own = objectsAt(spec.extraConfig, 'registerWithTaints');
  const given = own.some((taint) => textAt(taint, 'key') === CONTROL_PLANE_TAINT);
  const byArgument = Object.hasOwn(spec.extraArgs, 'register-with-taints');
  if (!controlPlane || spec.allowSchedulingOnControlPlane || spec.skipNodeRegistration || given || byArgument)
    return {};
  const list: readonly ConfigValue[] = [...own, { key: CONTROL_PLANE_TAINT, effect: 'NoSchedule' }];
  return { registerWithTaints: list };
}
