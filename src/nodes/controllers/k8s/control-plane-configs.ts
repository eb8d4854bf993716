import { objectAt, textAt, textMapAt } from '../../../config/view.ts';
import { type Controller, transformController } from '../../../cosi/index.ts';
import type { ComponentSettings } from '../../config/settings.ts';
import { MachineConfigs } from '../../resources/config.ts';
import {
  AdmissionControlConfigs,
  ApiServerConfigs,
  AuditPolicyConfigs,
  AuthorizationConfigs,
  type ComponentConfigSpec,
  ControllerManagerConfigs,
  SchedulerConfigs,
} from '../../resources/k8s-control-plane.ts';
import { fromControlPlaneConfig } from '../active-config.ts';

/** What the machine config says of the control plane (reference/controllers.md B.2.1, reference/v1.11.3.md 8.1). */

function component(settings: ComponentSettings, enabled: boolean, external: boolean): ComponentConfigSpec {
  return {
    enabled,
    image: settings.image,
    cloudProvider: external ? 'external' : '',
    extraArgs: settings.extraArgs,
    extraVolumes: settings.extraVolumes,
    environmentVariables: settings.env,
    resources: { requests: textMapAt(settings.resources.requests), limits: textMapAt(settings.resources.limits) },
  };
}

export const apiServerConfigController: Controller = transformController({
  name: 'k8s.ControlPlaneAPIServerController',
  input: MachineConfigs,
  output: ApiServerConfigs,
  map: fromControlPlaneConfig('kube-apiserver'),
  compute: ({ spec }) => {
    const { cluster, machine } = spec.settings;
    return {
      ...component(cluster.apiServer, true, cluster.externalCloudProvider),
      controlPlaneEndpoint: cluster.endpoint.url,
      etcdServers: ['https://localhost:2379'],
      localPort: cluster.apiPort,
      serviceCIDRs: cluster.serviceSubnets,
      advertisedAddress: machine.kubelet.skipNodeRegistration ? '' : '$(POD_IP)',
      podSecurityPolicyEnabled: cluster.apiServer.podSecurityPolicy,
    };
  },
});

export const controllerManagerConfigController: Controller = transformController({
  name: 'k8s.ControlPlaneControllerManagerController',
  input: MachineConfigs,
  output: ControllerManagerConfigs,
  map: fromControlPlaneConfig('kube-controller-manager'),
  compute: ({ spec }) => {
    const { cluster, machine } = spec.settings;
    return {
      ...component(cluster.controllerManager, !machine.controllerManagerDisabled, cluster.externalCloudProvider),
      podCIDRs: cluster.podSubnets,
      serviceCIDRs: cluster.serviceSubnets,
    };
  },
});

export const schedulerConfigController: Controller = transformController({
  name: 'k8s.ControlPlaneSchedulerController',
  input: MachineConfigs,
  output: SchedulerConfigs,
  map: fromControlPlaneConfig('kube-scheduler'),
  compute: ({ spec }) => {
    const { cluster, machine } = spec.settings;
    return { ...component(cluster.scheduler, !machine.schedulerDisabled, false), config: cluster.scheduler.config };
  },
});

export const admissionControlConfigController: Controller = transformController({
  name: 'k8s.ControlPlaneAdmissionControlController',
  input: MachineConfigs,
  output: AdmissionControlConfigs,
  map: fromControlPlaneConfig('admission-control'),
  compute: ({ spec }) => ({
    config: spec.settings.cluster.apiServer.admissionControl.map((plugin) => ({
      name: textAt(plugin, 'name'),
      configuration: objectAt(plugin, 'configuration') ?? {},
    })),
  }),
});

export const auditPolicyConfigController: Controller = transformController({
  name: 'k8s.ControlPlaneAuditPolicyController',
  input: MachineConfigs,
  output: AuditPolicyConfigs,
  map: fromControlPlaneConfig('audit-policy'),
  compute: ({ spec }) => {
    const policy = spec.settings.cluster.apiServer.auditPolicy;
    const fallback = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
    return { config: Object.keys(policy).length === 0 ? fallback : policy };
  },
});

export const authorizationConfigController: Controller = transformController({
  name: 'k8s.ControlPlaneAuthorizationPolicyController',
  input: MachineConfigs,
  output: AuthorizationConfigs,
  map: fromControlPlaneConfig('authorization'),
  compute: ({ spec }) => {
    const { apiServer } = spec.settings.cluster;
    const own = apiServer.authorizers.map((entry) => ({
      type: textAt(entry, 'type'),
      name: textAt(entry, 'name'),
      webhook: objectAt(entry, 'webhook') ?? {},
    }));
    // Node and RBAC are always there, in this order, unless the user placed them.
    const withNode = own.some((entry) => entry.type === 'Node')
      ? own
      : [{ type: 'Node', name: 'node', webhook: {} }, ...own];
    const rbac = { type: 'RBAC', name: 'rbac', webhook: {} };
    const config = withNode.some((entry) => entry.type === 'RBAC')
      ? withNode
      : [...withNode.slice(0, 1), rbac, ...withNode.slice(1)];
    return { image: apiServer.image, config };
  },
});

export const controlPlaneConfigControllers: readonly Controller[] = Object.freeze([
  apiServerConfigController,
  controllerManagerConfigController,
  schedulerConfigController,
  admissionControlConfigController,
  auditPolicyConfigController,
  authorizationConfigController,
]);
