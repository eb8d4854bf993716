import type { ConfigObject, ConfigValue } from '../../config/schema/types.ts';
import { splitImage } from '../../platform/image.ts';
import type { ComponentConfigSpec } from '../resources/k8s-control-plane.ts';

export interface PodParts {
  readonly name: 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';
  readonly config: ComponentConfigSpec;
  readonly command: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly userId: number;
  readonly requests: { readonly cpu: string; readonly memory: string };
  readonly addCapabilities?: readonly string[];
  readonly volumes: readonly PodVolume[];
  readonly probes: ConfigObject;
}

export interface PodVolume {
  readonly name: string;
  readonly path: string;
  readonly readOnly: boolean;
}

/** A static pod of the control plane (reference/controllers.md B.2.7, reference/v1.11.3.md 8.2). */
export function controlPlanePod(parts: PodParts): ConfigObject {
  const { name, config } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'kube-system',
      annotations: parts.annotations,
      labels: {
        tier: 'control-plane',
        'k8s-app': name,
        component: name,
        'app.kubernetes.io/name': name,
        'app.kubernetes.io/version': versionOf(config.image),
        'app.kubernetes.io/component': 'control-plane',
        'app.kubernetes.io/managed-by': 'Talos',
      },
    },
    spec: {
      priority: 2_000_000_000,
      priorityClassName: 'system-cluster-critical',
      hostNetwork: true,
      securityContext: {
        seccompProfile: { type: 'RuntimeDefault' },
        runAsNonRoot: true,
        runAsUser: parts.userId,
        runAsGroup: parts.userId,
      },
      containers: [container(parts)],
      volumes: [
        ...parts.volumes.map(({ name: volume, path }) => ({ name: volume, hostPath: { path } })),
        ...config.extraVolumes.map((volume) => ({ name: volume.name, hostPath: { path: volume.hostPath } })),
      ],
    },
  };
}

function container(parts: PodParts): ConfigObject {
  const { name, config } = parts;
  return {
    name,
    image: config.image,
    command: parts.command,
    env: environment(config),
    resources: resources(parts),
    ...parts.probes,
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: {
        drop: ['ALL'],
        ...(parts.addCapabilities === undefined ? {} : { add: parts.addCapabilities }),
      },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumeMounts: [
      ...parts.volumes.map(({ name: volume, path, readOnly }) => ({
        name: volume,
        mountPath: path,
        ...(readOnly ? { readOnly } : {}),
      })),
      ...config.extraVolumes.map((volume) => ({
        name: volume.name,
        mountPath: volume.mountPath,
        ...(volume.readonly ? { readOnly: true } : {}),
      })),
    ],
  };
}

function environment(config: ComponentConfigSpec): readonly ConfigValue[] {
  const own = Object.keys(config.environmentVariables)
    .sort()
    .map((key) => ({ name: key, value: config.environmentVariables[key]!.replaceAll('$', '$$$$') }));
  const memory = memoryBytes(config.resources.limits.memory);
  return [
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ...own,
    ...(memory === undefined ? [] : [{ name: 'GOMEMLIMIT', value: String(Math.floor((memory * 95) / 100)) }]),
  ];
}

function resources(parts: PodParts): ConfigObject {
  const { requests, limits } = parts.config.resources;
  return {
    requests: {
      cpu: requests.cpu === undefined || requests.cpu === '' ? parts.requests.cpu : requests.cpu,
      memory: requests.memory === undefined || requests.memory === '' ? parts.requests.memory : requests.memory,
    },
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

const UNITS: Readonly<Record<string, number>> = Object.freeze({
  '': 1,
  k: 1_000,
  M: 1_000_000,
  G: 1_000_000_000,
  Ki: 1_024,
  Mi: 1_048_576,
  Gi: 1_073_741_824,
});

/** A Kubernetes quantity in bytes; undefined for what is none. */
export function memoryBytes(quantity: string | undefined): number | undefined {
  const match = /^([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)$/.exec(quantity ?? '');
  const unit = match === null ? undefined : UNITS[match[2]!];
  return unit === undefined ? undefined : Math.floor(Number(match![1]) * unit);
}

function versionOf(image: string): string {
  return (splitImage(image).tag ?? '').replace(/^v/, '');
}
