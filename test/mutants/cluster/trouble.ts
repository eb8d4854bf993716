/**
 * One scenario in which every guarantee is put to the test: three control planes come up, the owner of the address is cut
 * off for longer than its lease, everybody is cut off from everybody, and all lose power right after a write.
 */
export const TROUBLE = `
name: Trouble
teaches: Code as it is holds every guarantee through this.
network:
  lan: { cidr: 10.0.0.0/24, gateway: 10.0.0.1 }
machines:
  cp-1: { address: 10.0.0.10, disks: [{ name: /dev/sda, sizeGiB: 50 }] }
  cp-2: { address: 10.0.0.11, disks: [{ name: /dev/sda, sizeGiB: 50 }] }
  cp-3: { address: 10.0.0.12, disks: [{ name: /dev/sda, sizeGiB: 50 }] }
steps:
  - talosctl gen config demo https://10.0.0.5:6443 --install-disk /dev/sda
  - talosctl config merge talosconfig
  - talosctl config endpoint 10.0.0.10 10.0.0.11 10.0.0.12
  - parallel:
      - { await: talosctl apply-config --insecure -n 10.0.0.10 -f controlplane.yaml --config-patch @cp-1.yaml, within: 5m }
      - { await: talosctl apply-config --insecure -n 10.0.0.11 -f controlplane.yaml --config-patch @cp-2.yaml, within: 5m }
      - { await: talosctl apply-config --insecure -n 10.0.0.12 -f controlplane.yaml --config-patch @cp-3.yaml, within: 5m }
  - parallel:
      - { await: talosctl -n 10.0.0.11 service etcd, output: Running pre state, within: 15m }
      - { await: talosctl -n 10.0.0.12 service etcd, output: Running pre state, within: 15m }
  - { await: talosctl bootstrap -n 10.0.0.10 -e 10.0.0.10, within: 15m }
  - { await: talosctl health -n 10.0.0.10, within: 3m }
  - { fault: isolate, machine: cp-1, as: owner }
  - { advance: 150s }
  - { fault: heal, name: owner }
  - { await: talosctl -n 10.0.0.10 service etcd, output: OK, within: 5m }
  - { fault: isolate, machine: cp-1, as: one }
  - { fault: isolate, machine: cp-2, as: two }
  - { fault: isolate, machine: cp-3, as: three }
  - { advance: 20s }
  - { fault: heal, name: one }
  - { fault: heal, name: two }
  - { fault: heal, name: three }
  - { await: etcdctl put last word --endpoints https://10.0.0.11:2379, within: 2m }
  - { fault: power-off, machines: [cp-1, cp-2, cp-3] }
  - { advance: 5s }
  - { fault: power-on, machines: [cp-1, cp-2, cp-3] }
  - { await: etcdctl put after dark --endpoints https://10.0.0.11:2379, within: 1m }
  - { await: etcdctl get last --endpoints https://10.0.0.11:2379, output: word, within: 1m }
expect:
  - etcd: { clusters: 1, voters: 3, writable: true, births: [cp-1] }
`;

/** The patch of one control plane: its name, and the address that all share. */
export function patchOf(hostname: string): string {
  return `machine:
  network:
    hostname: ${hostname}
    interfaces: [{ deviceSelector: { physical: true }, dhcp: true, vip: { ip: 10.0.0.5 } }]
`;
}
