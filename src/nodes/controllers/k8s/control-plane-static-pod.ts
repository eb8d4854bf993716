import type { ConfigObject } from '../../../config/schema/types.ts';
import type { Controller, ControllerContext, Resource } from '../../../cosi/index.ts';
import { ControllerError, isDefect, passController, shared, weak } from '../../../cosi/index.ts';
import { apiServerCommand } from '../../kube/apiserver-args.ts';
import { controlPlanePod, type PodVolume } from '../../kube/control-plane-pod.ts';
import { controllerManagerCommand, schedulerCommand } from '../../kube/controller-args.ts';
import {
  APISERVER_CONFIG,
  APISERVER_SECRETS,
  AUDIT_LOG,
  CONTROLLER_MANAGER_SECRETS,
  SCHEDULER_CONFIG,
  SCHEDULER_SECRETS,
} from '../../kube/paths.ts';
import { ETCD } from '../../resources/etcd.ts';
import { StaticPods } from '../../resources/k8s.ts';
import {
  type ApiServerConfigSpec,
  ApiServerConfigs,
  ConfigStatuses,
  type ControllerManagerConfigSpec,
  ControllerManagerConfigs,
  type SchedulerConfigSpec,
  SchedulerConfigs,
  SecretStatuses,
} from '../../resources/k8s-control-plane.ts';
import { Services } from '../../resources/runtime.ts';

/**
 * The control plane as static pods. They appear first behind a healthy local etcd; an unhealthy etcd changes nothing,
 * a missing etcd service takes them away (reference/v1.11.3.md 8.3).
 */
export const controlPlaneStaticPodController: Controller = passController({
  name: 'k8s.ControlPlaneStaticPodController',
  inputs: [
    weak(ApiServerConfigs, 'kube-apiserver'),
    weak(ControllerManagerConfigs, 'kube-controller-manager'),
    weak(SchedulerConfigs, 'kube-scheduler'),
    weak(SecretStatuses, 'static-pods'),
    weak(ConfigStatuses, 'static-pods'),
    weak(Services, ETCD),
  ],
  outputs: [shared(StaticPods)],
  pass: (context) => {
    const etcd = context.get(Services, ETCD);
    if (etcd !== undefined && !etcd.spec.healthy) return undefined;
    const secrets = context.get(SecretStatuses, 'static-pods');
    const configs = context.get(ConfigStatuses, 'static-pods');
    context.startTrackingOutputs();
    if (etcd !== undefined && secrets !== undefined && configs !== undefined) {
      const versions = { secrets: secrets.spec.version, configFiles: configs.spec.version };
      writePod(context, context.get(ApiServerConfigs, 'kube-apiserver'), (config) => apiServerPod(config, versions));
      writePod(context, context.get(ControllerManagerConfigs, 'kube-controller-manager'), (config) =>
        controllerManagerPod(config, versions),
      );
      writePod(context, context.get(SchedulerConfigs, 'kube-scheduler'), (config) => schedulerPod(config, versions));
    }
    context.cleanupOutputs(StaticPods);
    return undefined;
  },
});

interface Versions {
  readonly secrets: string;
  readonly configFiles: string;
}

function writePod<S extends { readonly enabled: boolean }>(
  context: ControllerContext,
  config: Resource<S> | undefined,
  build: (config: Resource<S>) => ConfigObject,
): void {
  if (config === undefined || !config.spec.enabled) return;
  let pod: ConfigObject;
  try {
    pod = build(config);
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new ControllerError(`error updating static pod for "${config.metadata.type}": ${(error as Error).message}`);
  }
  context.set(StaticPods, config.metadata.id, { pod });
}

function annotations(config: Resource, versions: Versions): Readonly<Record<string, string>> {
  return {
    'talos.dev/secrets-version': versions.secrets,
    'talos.dev/config-version': `${config.metadata.version}`,
  };
}

function readOnly(name: string, path: string): PodVolume {
  return { name, path, readOnly: true };
}

function apiServerPod(config: Resource<ApiServerConfigSpec>, versions: Versions): ConfigObject {
  return controlPlanePod({
    name: 'kube-apiserver',
    config: config.spec,
    command: apiServerCommand(config.spec),
    annotations: { ...annotations(config, versions), 'talos.dev/config-file-version': versions.configFiles },
    userId: 65534,
    requests: { cpu: '200m', memory: '512Mi' },
    addCapabilities: ['NET_BIND_SERVICE'],
    volumes: [
      readOnly('secrets', APISERVER_SECRETS),
      readOnly('config', APISERVER_CONFIG),
      { name: 'audit', path: AUDIT_LOG, readOnly: false },
    ],
    probes: {},
  });
}

function probe(path: string, port: number, more: ConfigObject = {}): ConfigObject {
  return { httpGet: { path, host: 'localhost', port, scheme: 'HTTPS' }, ...more };
}

function controllerManagerPod(config: Resource<ControllerManagerConfigSpec>, versions: Versions): ConfigObject {
  return controlPlanePod({
    name: 'kube-controller-manager',
    config: config.spec,
    command: controllerManagerCommand(config.spec),
    annotations: annotations(config, versions),
    userId: 65535,
    requests: { cpu: '50m', memory: '256Mi' },
    volumes: [readOnly('secrets', CONTROLLER_MANAGER_SECRETS)],
    probes: {
      startupProbe: probe('/healthz', 10257, { periodSeconds: 5, failureThreshold: 12 }),
      livenessProbe: probe('/healthz', 10257, { timeoutSeconds: 15 }),
    },
  });
}

function schedulerPod(config: Resource<SchedulerConfigSpec>, versions: Versions): ConfigObject {
  return controlPlanePod({
    name: 'kube-scheduler',
    config: config.spec,
    command: schedulerCommand(config.spec),
    annotations: annotations(config, versions),
    userId: 65536,
    requests: { cpu: '10m', memory: '64Mi' },
    volumes: [readOnly('secrets', SCHEDULER_SECRETS), readOnly('config', SCHEDULER_CONFIG)],
    probes: {
      startupProbe: probe('/livez', 10259),
      livenessProbe: probe('/readyz', 10259),
      readinessProbe: probe('/livez', 10259),
    },
  });
}
