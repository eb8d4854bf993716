import { MachineService, StorageService } from '../../api/machine/services.ts';
import { waitFor } from '../../cosi/index.ts';
import type { HandlerEntry, Method } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { serviceHandlers } from '../../rpc/service.ts';
import { asStatus, unimplemented } from '../api/errors.ts';
import { API_MESSAGE_BYTES, API_PORT } from '../api/forward.ts';
import { applyAnswer, decideApply } from '../api/handlers/apply.ts';
import { stateHandlers } from '../api/handlers/state.ts';
import { disksAnswer } from '../api/handlers/storage.ts';
import { specOf } from '../config/load.ts';
import type { Machine } from '../machine.ts';
import { addressOf } from '../net/addresses.ts';
import { MAINTENANCE_CONFIG, MachineConfigs } from '../resources/config.ts';
import { NodeAddresses } from '../resources/network.ts';
import { MaintenanceServiceCerts } from '../resources/secrets.ts';

/** Methods that exist in maintenance but only for callers that nobody can be on a plain network. */
const ADMIN_ONLY: readonly string[] = Object.freeze(['Version', 'Upgrade', 'Reset', 'MetaWrite', 'MetaDelete']);

/**
 * The small API of a machine without a config: port 50000, a certificate that nobody can verify, few methods
 * (reference/v1.11.3.md 5). Returns how to close it.
 */
export function* serveMaintenance(machine: Machine): Task<() => void> {
  const { state, platform, kmsg } = machine;
  const certs = yield* waitFor(state, MaintenanceServiceCerts, 'maintenance', (resource) => resource !== undefined);
  const { server } = certs!.spec;
  const rpcServer = yield* platform.rpc.serve({
    address: '0.0.0.0',
    port: API_PORT,
    tls: { certificatePem: server.crt, keyPem: server.key },
    handlers: maintenanceHandlers(machine),
    maxReceiveBytes: API_MESSAGE_BYTES,
  });
  kmsg.talos('this machine is reachable at:');
  const addresses = state.get(NodeAddresses, 'accumulative')?.spec.addresses ?? [];
  for (const address of addresses) kmsg.talos(`\t${addressOf(address)}`);
  kmsg.talos('upload configuration using talosctl:');
  kmsg.talos(`\ttalosctl apply-config --insecure --nodes ${addressOf(addresses[0] ?? '')} --file <config.yaml>`);
  return () => rpcServer.close();
}

function maintenanceHandlers(machine: Machine): readonly HandlerEntry[] {
  const known = [
    ...serviceHandlers(MachineService, {
      *ApplyConfiguration(request) {
        const decision = decideApply(machine, request);
        if (decision.activate) {
          const spec = specOf(decision.config, machine.profile);
          machine.state.modify(MachineConfigs, MAINTENANCE_CONFIG, () => spec);
        }
        return applyAnswer(decision);
      },
    }),
    ...serviceHandlers(StorageService, {
      *Disks() {
        return disksAnswer(machine);
      },
    }),
    ...stateHandlers(machine.state, () => ['os:reader']),
  ].map(withStatus);
  const paths = new Set(known.map((entry) => entry.method.path));
  const methods = Object.values(MachineService) as unknown as readonly Method<unknown, unknown>[];
  return [...known, ...methods.filter((method) => !paths.has(method.path)).map(refusing)];
}

function withStatus(entry: HandlerEntry): HandlerEntry {
  const { method, unary, stream } = entry;
  if (unary !== undefined) return { method, unary: (request, context) => asStatus(unary(request, context)) };
  return { method, stream: (call) => asStatus(stream!(call)) };
}

function refusing(method: Method<unknown, unknown>): HandlerEntry {
  const name = method.path.slice(method.path.lastIndexOf('/') + 1);
  const error = ADMIN_ONLY.includes(name)
    ? unimplemented('API is not implemented in maintenance mode')
    : unimplemented(`method ${name} not implemented`);
  if (method.kind === 'unary') {
    return {
      method,
      *unary() {
        throw error;
      },
    };
  }
  return {
    method,
    *stream() {
      throw error;
    },
  };
}
