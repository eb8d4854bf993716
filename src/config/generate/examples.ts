/** Examples that `gen config` shows for sections that are not set: by Go type and field. */

const EXAMPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.freeze({
  'v1alpha1.MachineConfig': {
    env: 'env:\n    https_proxy: http://proxy.example.com:3128/',
    time: 'time:\n    servers:\n        - time.example.com',
    sysctls: 'sysctls:\n    vm.max_map_count: "262144"',
    kernel: 'kernel:\n    modules:\n        - name: br_netfilter',
    nodeLabels: 'nodeLabels:\n    example.com/rack: r1',
    nodeTaints: 'nodeTaints:\n    example.com/dedicated: gpu:NoSchedule',
    udev: `udev:\n    rules:\n        - SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44", MODE="0660"`,
  },
  'v1alpha1.KubeletConfig': {
    extraArgs: 'extraArgs:\n    rotate-server-certificates: "true"',
    extraConfig: 'extraConfig:\n    maxPods: 200',
    nodeIP: 'nodeIP:\n    validSubnets:\n        - 10.0.0.0/24',
  },
  'v1alpha1.NetworkConfig': {
    interfaces:
      'interfaces:\n    - interface: eth0\n      addresses:\n        - 192.0.2.10/24\n      routes:\n        - network: 0.0.0.0/0\n          gateway: 192.0.2.1\n      vip:\n        ip: 192.0.2.5',
    nameservers: 'nameservers:\n    - 192.0.2.53',
    extraHostEntries: 'extraHostEntries:\n    - ip: 192.0.2.20\n      aliases:\n        - registry.example.com',
  },
  'v1alpha1.InstallConfig': {
    diskSelector: "diskSelector:\n    size: '>= 100GB'\n    type: nvme",
    extraKernelArgs: 'extraKernelArgs:\n    - console=ttyS0',
  },
  'v1alpha1.ClusterConfig': {
    inlineManifests:
      'inlineManifests:\n    - name: namespace\n      contents: |\n        apiVersion: v1\n        kind: Namespace\n        metadata:\n          name: example',
    adminKubeconfig: 'adminKubeconfig:\n    certLifetime: 8760h',
    allowSchedulingOnControlPlanes: 'allowSchedulingOnControlPlanes: true',
  },
});

/** Example texts of a struct's fields by name. */
export function examplesOf(goType: string): Readonly<Record<string, string>> {
  return EXAMPLES[goType] ?? {};
}
