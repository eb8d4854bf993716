/** Go names of the fields that lead to free-form objects: merge errors spell out the way there. */

const GO_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.freeze({
  'v1alpha1.Config': { machine: 'MachineConfig', cluster: 'ClusterConfig' },
  'v1alpha1.MachineConfig': {
    kubelet: 'MachineKubelet',
    baseRuntimeSpecOverrides: 'MachineBaseRuntimeSpecOverrides',
  },
  'v1alpha1.KubeletConfig': {
    extraConfig: 'KubeletExtraConfig',
    credentialProviderConfig: 'KubeletCredentialProviderConfig',
  },
  'v1alpha1.ClusterConfig': {
    apiServer: 'APIServerConfig',
    controllerManager: 'ControllerManagerConfig',
    scheduler: 'SchedulerConfig',
  },
  'v1alpha1.APIServerConfig': { admissionControl: 'AdmissionControlConfig', resources: 'ResourcesConfig' },
  'v1alpha1.ControllerManagerConfig': { resources: 'ResourcesConfig' },
  'v1alpha1.SchedulerConfig': { config: 'SchedulerConfig', resources: 'ResourcesConfig' },
  'v1alpha1.ResourcesConfig': { requests: 'Requests', limits: 'Limits' },
  'v1alpha1.AdmissionPluginConfig': { configuration: 'PluginConfiguration' },
});

/** The Go name of a field, or its YAML name where ours is not known. */
export function goFieldName(goType: string, field: string): string {
  return GO_NAMES[goType]?.[field] ?? field;
}
