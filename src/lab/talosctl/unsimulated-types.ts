import { type ResourceKind, resourceKind } from '../../cosi/index.ts';
import { type DefinitionSpec, definitionOf } from '../../nodes/resources/definition.ts';

/** Types of v1.11.3 that no machine has here, by group; explicit aliases after a colon (reference/lifecycle-api-cli.md E.6). */
const TYPES: Readonly<Record<string, string>> = {
  'block.talos.dev':
    'BlockDevices DiscoveryRefreshRequests DiscoveryRefreshStatuses MountRequests MountStatuses SwapStatuses:swap,swaps BlockSymlinks UserDiskConfigStatuses VolumeConfigs VolumeLifecycles VolumeMountRequests VolumeMountStatuses ZswapStatuses',
  'cri.talos.dev': 'BaseRuntimeSpecConfigs CustomizationConfigs ImageCacheConfigs RegistryConfigs SeccompProfiles',
  'files.talos.dev': 'EtcFileSpecs',
  'hardware.talos.dev':
    'MemoryModules:memorymodules,ram PCIDevices:devices,device PCRStatuses Processors:cpus,cpu PCIDriverRebindStatuses:pcidriverrebinds',
  'kubernetes.talos.dev': 'ExtraManifestsConfigs',
  'cluster.talos.dev': 'KubernetesAccessConfigs',
  'net.talos.dev':
    'DeviceConfigSpecs DNSResolveCaches DNSUpstreams EthernetSpecs EthernetStatuses:ethtool HardwareAddresses HostDNSConfigs LinkRefreshes NfTablesChains:chain,chains NodeAddressSortAlgorithms ProbeSpecs ProbeStatuses:probe,probes',
  'perf.talos.dev': 'CPUStats MemoryStats',
  'runtime.talos.dev':
    'DevicesStatuses EventSinkConfigs ExtensionServiceConfigs ExtensionServiceConfigStatuses KernelModuleSpecs KernelParamSpecs KernelParamDefaultSpecs KernelParamStatuses:sysctls,kernelparameters,kernelparams KmsgLogConfigs LoadedKernelModules MaintenanceServiceConfigs MaintenanceServiceRequests MetaLoads UniqueMachineTokens WatchdogTimerConfigs WatchdogTimerStatuses',
  'secrets.talos.dev': 'EncryptionSalts MaintenanceRootSecrets',
  'siderolink.talos.dev': 'SiderolinkConfigs SiderolinkStatuses SiderolinkTunnels',
  'talos.dev': 'PlatformMetadatas SecurityStates',
  'v1alpha1.talos.dev': 'AdjtimeStatuses AcquireConfigSpecs AcquireConfigStatuses',
};

function kindOf(entry: string, group: string): ResourceKind<unknown> {
  const [name, aliases] = entry.split(':');
  return resourceKind('runtime', `${name}.${group}`, { aliases: aliases?.split(',') ?? [] });
}

const DEFINITIONS: readonly DefinitionSpec[] = Object.freeze(
  Object.entries(TYPES).flatMap(([group, entries]) =>
    entries.split(' ').map((entry) => definitionOf(kindOf(entry, group))),
  ),
);

/** Types that exist in reality and that a name or alias means, as they would be listed. */
export function unsimulatedTypes(name: string): readonly string[] {
  const wanted = name.toLowerCase();
  return DEFINITIONS.filter(
    ({ type, allAliases }) =>
      type.toLowerCase() === wanted || allAliases.some((alias) => alias.toLowerCase() === wanted),
  ).map(({ type }) => type);
}
