/** Top-level fields of the kinds without a field tree, in printing order (reference/network-config.md E.4). */

const LINK = 'up mtu addresses routes multicast';
const ENABLED_POD = 'enabled image extraArgs env resources';

const FIELDS: Readonly<Record<string, string>> = Object.freeze({
  LinkConfig: LINK,
  DummyLinkConfig: `hardwareAddr ${LINK}`,
  BondConfig: `hardwareAddr links bondMode miimon updelay downdelay useCarrier xmitHashPolicy arpInterval arpIpTargets
    nsIp6Targets arpValidate arpAllTargets lacpRate failOverMac adSelect adActorSysPrio adUserPortKey adLACPActive primary
    primaryReselect resendIGMP minLinks lpInterval packetsPerSlave numPeerNotif tlbLogicalLb allSlavesActive peerNotifDelay
    missedMax ${LINK}`,
  BridgeConfig: `hardwareAddr links stp vlan ${LINK}`,
  VLANConfig: `vlanID vlanMode parent ${LINK}`,
  VethConfig: `peer ${LINK}`,
  VRFConfig: `hardwareAddr links table ${LINK}`,
  WireguardConfig: `privateKey listenPort firewallMark peers ${LINK}`,
  LinkAliasConfig: 'selector',
  DHCPv4Config: 'routeMetric ignoreHostname ignoreRoutes clientIdentifier duidRaw',
  DHCPv6Config: 'routeMetric ignoreHostname clientIdentifier duidRaw',
  HostnameConfig: 'auto hostname',
  ResolverConfig: 'nameservers searchDomains hostDNS',
  StaticHostConfig: 'hostnames',
  TimeSyncConfig: 'enabled bootTimeout ntp ptp',
  KubeSpanConfig: 'enabled advertiseKubernetesNetworks allowDownPeerBypass harvestExtraEndpoints mtu filters',
  Layer2VIPConfig: 'link',
  HCloudVIPConfig: 'link apiToken',
  TCPProbeConfig: 'interval failureThreshold endpoint timeout',
  HTTPProbeConfig: 'interval failureThreshold url timeout',
  BlackholeRouteConfig: 'metric',
  RoutingRuleConfig: 'src dst table action iifName oifName fwMark fwMask',
  BGPInstanceConfig: `vrf localASN routerID routeSource advertise multipath maxPaths installRoutes importRoutes neighbors`,
  KubeClusterConfig: 'clusterName endpoint',
  KubeNetworkConfig: 'dnsDomain podSubnets serviceSubnets nodeCIDRMaskSizeIPv4 nodeCIDRMaskSizeIPv6',
  KubeNodeConfig: 'skipNodeRegistration registerWithFQDN nodeIP labels annotations taints',
  KubeletConfig: 'image config extraArgs clusterDNS defaultRuntimeSeccompProfileEnabled',
  KubePrismConfig: 'port tlsServerName',
  KubeAPIServerConfig: 'image extraArgs env resources apiPort certExtraSANs startupProbes',
  KubeAPIServerCAConfig: 'issuingCA acceptedCAs',
  KubeAggregatorCAConfig: 'issuingCA acceptedCAs',
  KubeAdmissionControlConfig: 'configuration',
  KubeAuditPolicyConfig: 'configuration',
  KubeAuthenticationConfig: 'configuration',
  KubeAuthorizerConfig: 'type webhook',
  KubeControllerManagerConfig: ENABLED_POD,
  KubeSchedulerConfig: `${ENABLED_POD} config`,
  KubeProxyConfig: 'enabled image mode config extraArgs resources',
  KubeFlannelCNIConfig:
    'backendType backendPort backendMTU backendExtraConfig resources extraArgs kubeNetworkPoliciesEnabled',
  KubeCoreDNSConfig: 'enabled image',
  KubeServiceAccountConfig: 'issuer accepted',
  KubeEtcdEncryptionConfig: 'config',
  KubeStaticPodConfig: 'pod',
  KubeInlineManifestConfig: 'manifest',
  KubeExternalManifestConfig: 'url headers',
  KubeTalosAPIAccessConfig: 'allowedRoles allowedKubernetesNamespaces',
  KubeCredentialProviderConfig: 'configuration',
  DiscoveryServiceConfig: 'endpoint',
  DiscoveryIdentityConfig: 'clusterID clusterSecret',
  CRIBaseRuntimeSpecConfig: 'overrides',
  CRICustomizationConfig: 'content',
  ImageCacheConfig: 'local',
  RegistryAuthConfig: 'username password auth identityToken',
  RegistryMirrorConfig: 'endpoints skipFallback',
  RegistryTLSConfig: 'clientIdentity ca insecureSkipVerify',
  ExternalVolumeConfig: 'filesystemType mount',
  FilesystemTrimConfig: 'interval',
  FilesystemScrubConfig: 'interval',
  RAIDArrayConfig: 'level metadata provisioning',
  LVMVolumeGroupConfig: 'provisioning',
  LVMLogicalVolumeConfig: 'type mirrors stripes provisioning',
  EnvironmentConfig: 'variables',
  EtcFileConfig: 'mode contents',
  KernelModuleConfig: 'parameters',
  OOMConfig: 'triggerExpression cgroupRankingExpression strictCgroupClassOrdering sampleInterval',
  SecurityProfileConfig: 'workloadIsolation',
  SysctlConfig: 'params',
  SysfsConfig: 'params',
  UdevRulesConfig: 'rules',
  UnattendedInstallConfig: 'reboot installer provisioning',
  ImageVerificationConfig: 'rules',
  ContainerConfig: 'image entrypoint args workingDir runAs environment mounts security network resources dependsOn',
});

const HEADER: readonly string[] = Object.freeze(['apiVersion', 'kind', 'name']);

/** Fields of a kind, header first; undefined when the kind is not in the table. */
export function looseFields(kind: string): readonly string[] | undefined {
  const fields = FIELDS[kind];
  return fields === undefined ? undefined : [...HEADER, ...fields.split(/\s+/)];
}
