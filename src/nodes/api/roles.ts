import { type ApiRole, isApiRole } from '../../config/roles.ts';
import type { CallContext } from '../../platform/rpc.ts';

/** Roles of the Talos API, as client certificates carry them in their organizations (reference/lifecycle-api-cli.md E.9). */
export type Role = ApiRole;

const ALL: readonly Role[] = Object.freeze(['os:admin', 'os:operator', 'os:reader', 'os:etcd:backup']);

const A: readonly Role[] = Object.freeze(['os:admin']);
const AO: readonly Role[] = Object.freeze(['os:admin', 'os:operator']);
const AOR: readonly Role[] = Object.freeze(['os:admin', 'os:operator', 'os:reader']);
const AOB: readonly Role[] = Object.freeze(['os:admin', 'os:operator', 'os:etcd:backup']);
const AORB: readonly Role[] = Object.freeze(['os:admin', 'os:operator', 'os:reader', 'os:etcd:backup']);

/** Who may call what; a method that is not listed needs os:admin (reference/lifecycle-api-cli.md E.2, reference/v1.11.3.md 16). */
const RULES: Readonly<Record<string, readonly Role[]>> = Object.freeze({
  ...forMethods('/machine.MachineService/', AOR, [
    'Containers',
    'Dmesg',
    'Events',
    'Hostname',
    'List',
    'LoadAvg',
    'Logs',
    'LogsContainers',
    'Memory',
    'ServiceList',
    'Version',
  ]),
  ...forMethods('/machine.MachineService/', AO, [
    'EtcdAlarmDisarm',
    'EtcdDefragment',
    'ImagePull',
    'Reboot',
    'Restart',
    'ServiceRestart',
    'ServiceStart',
    'ServiceStop',
    'Shutdown',
  ]),
  ...forMethods('/machine.MachineService/', AORB, ['EtcdMemberList', 'EtcdAlarmList', 'EtcdStatus']),
  ...forMethods('/machine.MachineService/', AOB, ['EtcdSnapshot']),
  ...forMethods('/cluster.ClusterService/', AOR, ['HealthCheck']),
  ...forMethods('/inspect.InspectService/', AOR, ['ControllerRuntimeDependencies']),
  ...forMethods('/time.TimeService/', AOR, ['Time', 'TimeCheck']),
  ...forMethods('/storage.StorageService/', AOR, ['Disks']),
  ...forMethods('/cosi.resource.State/', AOR, ['Get', 'List', 'Watch']),
});

function forMethods(
  prefix: string,
  roles: readonly Role[],
  methods: readonly string[],
): Readonly<Record<string, readonly Role[]>> {
  return Object.fromEntries(methods.map((method) => [prefix + method, roles]));
}

/** Roles that a method needs one of. */
export function rolesFor(path: string): readonly Role[] {
  return Object.hasOwn(RULES, path) ? RULES[path]! : A;
}

/** Roles of a caller. An apid that forwards states those of the caller it forwards for. */
export function rolesOf(context: CallContext, rbac: boolean): readonly Role[] {
  if (!rbac) return ALL;
  const own = (context.identity?.organizations ?? []).filter(isApiRole);
  const stated = context.metadata['talos-role'];
  if (own.includes('os:impersonator') && stated !== undefined) return stated.split(',').filter(isApiRole);
  return own;
}

export function mayCall(path: string, roles: readonly Role[]): boolean {
  return rolesFor(path).some((role) => roles.includes(role));
}
