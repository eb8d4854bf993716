/** A cluster by its size, for whoever has no scenario file of their own. */
export interface ClusterSize {
  readonly controlPlanes: number;
  readonly workers: number;
}

/** Machines of one kind that have an address: 10.0.0.10 … .18 and 10.0.0.21 … .29. */
export const MAX_MACHINES = 9;

const FIRST_CONTROL_PLANE = 10;
const FIRST_WORKER = 21;
const VIP = '10.0.0.5';

interface Machine {
  readonly name: string;
  readonly address: string;
  readonly file: 'controlplane.yaml' | 'worker.yaml';
}

/** The text of a scenario that brings such a cluster up, and the patches it refers to. */
export function clusterScenario(size: ClusterSize): { text: string; files: Readonly<Record<string, string>> } {
  const controlPlanes = machines('cp', size.controlPlanes, FIRST_CONTROL_PLANE, 'controlplane.yaml');
  const all = [...controlPlanes, ...machines('worker', size.workers, FIRST_WORKER, 'worker.yaml')];
  const first = controlPlanes[0]!.address;
  const apply = ({ name, address, file }: Machine): string =>
    `      - { id: ${name}-config, await: talosctl apply-config --insecure -n ${address} -f ${file} --config-patch @patches/${name}.yaml, within: 5m }`;
  const told = ({ name, address, file }: Machine): string => {
    const look = file === 'worker.yaml' ? 'version' : 'service etcd, output: Running pre state';
    return `      - { await: talosctl -n ${address} ${look}, within: 15m, again: ${name}-config }`;
  };
  const lines = [
    `name: ${size.controlPlanes} control planes, ${size.workers} workers`,
    'network:',
    '  lan: { cidr: 10.0.0.0/24, gateway: 10.0.0.1 }',
    'machines:',
    ...all.map(({ name, address }) => `  ${name}: { address: ${address}, disks: [{ name: /dev/sda, sizeGiB: 50 }] }`),
    'steps:',
    `  - talosctl gen config demo https://${VIP}:6443 --install-disk /dev/sda`,
    '  - talosctl config merge talosconfig',
    `  - talosctl config endpoint ${controlPlanes.map(({ address }) => address).join(' ')}`,
    `  - { id: maintenance, await: talosctl get disks --insecure -n ${first}, within: 5m }`,
    '  - id: apply',
    '    parallel:',
    ...all.map(apply),
    '  - id: waiting',
    '    parallel:',
    ...all.map(told),
    `  - { id: ignite, await: talosctl bootstrap -n ${first} -e ${first}, within: 5m }`,
    `  - { id: healthy, await: talosctl health -n ${first}, within: 20m, again: ignite, every: 5m }`,
    `  - { id: kubeconfig, run: talosctl kubeconfig -n ${first} }`,
    'expect:',
    `  - etcd: { clusters: 1, voters: ${size.controlPlanes}, learners: 0, writable: true, births: [cp-1] }`,
    `  - kubernetes: { ready: ${all.length} }`,
    '',
  ];
  const files = Object.fromEntries(all.map((machine) => [`patches/${machine.name}.yaml`, patchOf(machine)]));
  return { text: lines.join('\n'), files };
}

function machines(prefix: string, count: number, firstHost: number, file: Machine['file']): Machine[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${index + 1}`,
    address: `10.0.0.${firstHost + index}`,
    file,
  }));
}

function patchOf({ name, file }: Machine): string {
  const shared =
    file === 'controlplane.yaml'
      ? `    interfaces:\n      - deviceSelector:\n          physical: true\n        dhcp: true\n        vip:\n          ip: ${VIP}\n`
      : '';
  return `machine:\n  network:\n    hostname: ${name}\n${shared}`;
}
