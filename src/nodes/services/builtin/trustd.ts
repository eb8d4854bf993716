import type { Machine } from '../../machine.ts';
import { OsRootSecrets, TrustdCertificates } from '../../resources/secrets.ts';
import { TRUSTD_PORT } from '../../trustd/client.ts';
import { trustdHandlers } from '../../trustd/server.ts';
import { network, timeSync, trustdCertificates } from '../conditions.ts';
import { DEFAULT_HEALTH } from '../health.ts';
import { restartForever } from '../runner.ts';
import type { ServiceDefinition } from '../service.ts';
import { alwaysHealthy } from './plain.ts';
import { serverRunner } from './server-runner.ts';

/** Signs certificates for workers; runs on control planes whether etcd does or not (reference/corrections.md 1a-29). */
export function trustdService(machine: Machine): ServiceDefinition {
  const { platform, state } = machine;
  const rootSecrets = () => state.get(OsRootSecrets, 'os')!.spec;
  return {
    id: 'trustd',
    dependsOn: ['containerd'],
    conditions: () => [timeSync(machine), network(machine, 'address', 'hostname'), trustdCertificates(machine)],
    health: { settings: { ...DEFAULT_HEALTH, once: true }, check: alwaysHealthy },
    createRunner: () =>
      restartForever(
        platform.clock,
        serverRunner(machine, 'trustd', {
          serve: () =>
            platform.rpc.serve({
              address: '0.0.0.0',
              port: TRUSTD_PORT,
              tls: tlsOf(),
              handlers: trustdHandlers(platform, rootSecrets),
            }),
          certificates: TrustdCertificates,
          tls: tlsOf,
        }),
      ),
  };

  function tlsOf(): { readonly certificatePem: string; readonly keyPem: string } {
    const { server } = state.get(TrustdCertificates, 'trustd')!.spec;
    return { certificatePem: server.crt, keyPem: server.key };
  }
}
