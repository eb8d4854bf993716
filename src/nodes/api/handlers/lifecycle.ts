import { RebootMode } from '../../../api/machine/lifecycle.ts';
import type { MachineService } from '../../../api/machine/services.ts';
import type { Implementation } from '../../../rpc/service.ts';
import { activeSettings } from '../../config/active.ts';
import { bootstrap } from '../../etcd/bootstrap.ts';
import type { Machine } from '../../machine.ts';
import { HostnameStatuses } from '../../resources/network.ts';
import { applyAnswer } from './apply.ts';
import { applyConfiguration } from './apply-running.ts';
import { clientConfiguration } from './client-configuration.ts';
import { deleteMeta, writeMeta } from './meta.ts';
import { requestReboot, requestReset, requestRollback, requestShutdown, requestUpgrade } from './power.ts';

type Methods = Pick<
  Implementation<typeof MachineService>,
  | 'Version'
  | 'Hostname'
  | 'ApplyConfiguration'
  | 'Bootstrap'
  | 'Reboot'
  | 'Shutdown'
  | 'Reset'
  | 'Upgrade'
  | 'Rollback'
  | 'MetaWrite'
  | 'MetaDelete'
  | 'GenerateClientConfiguration'
>;

/** Configuration, bootstrap and power. */
export function lifecycleHandlers(machine: Machine): Methods {
  return {
    *Version() {
      return { messages: [versionOf(machine)] };
    },
    *Hostname() {
      const hostname = machine.state.get(HostnameStatuses, 'hostname')?.spec.hostname ?? '';
      return { messages: [{ metadata: null, hostname }] };
    },
    *ApplyConfiguration(request) {
      return applyAnswer(applyConfiguration(machine, request));
    },
    *Bootstrap(request) {
      const recover = request.recoverEtcd ? { skipHashCheck: request.recoverSkipHashCheck } : undefined;
      yield* bootstrap(machine, recover);
      return { messages: [{ metadata: null }] };
    },
    *Reboot(request) {
      const mode = request.mode === RebootMode.PowerCycle ? 'powercycle' : 'default';
      return { messages: [{ metadata: null, actorId: requestReboot(machine, mode) }] };
    },
    *Shutdown(request) {
      return { messages: [{ metadata: null, actorId: requestShutdown(machine, request.force) }] };
    },
    *Reset(request) {
      return { messages: [{ metadata: null, actorId: requestReset(machine, request) }] };
    },
    *Upgrade(request) {
      const actorId = yield* requestUpgrade(machine, request);
      return { messages: [{ metadata: null, ack: 'Upgrade request received', actorId }] };
    },
    *Rollback() {
      yield* requestRollback(machine);
      return { messages: [{ metadata: null }] };
    },
    *MetaWrite(request) {
      yield* writeMeta(machine, request.key, request.value);
      return { messages: [{ metadata: null }] };
    },
    *MetaDelete(request) {
      yield* deleteMeta(machine, request.key);
      return { messages: [{ metadata: null }] };
    },
    *GenerateClientConfiguration(request) {
      return { messages: [clientConfiguration(machine, request)] };
    },
  };
}

function versionOf(machine: Machine) {
  const { profile, state } = machine;
  const rbac = activeSettings(state)?.machine.features.rbac ?? false;
  return {
    metadata: null,
    version: {
      tag: profile.version,
      sha: profile.sha,
      built: profile.built,
      goVersion: profile.goVersion,
      os: 'linux',
      arch: 'amd64',
    },
    platform: { name: 'metal', mode: 'metal' },
    features: { rbac },
  };
}
