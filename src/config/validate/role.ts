/** Machine types (reference/network-config.md E.2: empty and `join` mean worker). */

export type MachineRole = 'init' | 'controlplane' | 'worker' | 'unknown';

/** Canonical role of a written type. */
export function machineRole(type: string): MachineRole {
  switch (type) {
    case 'init':
    case 'controlplane':
      return type;
    case 'worker':
    case 'join':
    case '':
      return 'worker';
    default:
      return 'unknown';
  }
}

/** True for the types that run etcd and the control plane. */
export function isControlPlaneRole(role: MachineRole): boolean {
  return role === 'controlplane' || role === 'init';
}
