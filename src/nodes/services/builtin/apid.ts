import type { TlsServer } from '../../../platform/rpc.ts';
import { ApiServer } from '../../api/server.ts';
import type { Machine } from '../../machine.ts';
import { ApiCertificates } from '../../resources/secrets.ts';
import { apiCertificates } from '../conditions.ts';
import { DEFAULT_HEALTH } from '../health.ts';
import { restartForever } from '../runner.ts';
import type { ServiceDefinition } from '../service.ts';
import { alwaysHealthy } from './plain.ts';
import { serverRunner } from './server-runner.ts';

/** The machine API on port 50000, once there is a certificate for it (reference/v1.11.3.md 3). */
export function apidService(machine: Machine): ServiceDefinition {
  return {
    id: 'apid',
    dependsOn: ['containerd'],
    conditions: () => [apiCertificates(machine)],
    health: { settings: { ...DEFAULT_HEALTH, once: true }, check: alwaysHealthy },
    createRunner: () => {
      const server = new ApiServer(machine);
      return restartForever(
        machine.platform.clock,
        serverRunner(machine, 'apid', {
          serve: () => server.serve(tlsOf(machine)),
          certificates: ApiCertificates,
          tls: () => tlsOf(machine),
        }),
      );
    },
  };
}

function tlsOf(machine: Machine): TlsServer {
  const { server, acceptedCAs } = machine.state.get(ApiCertificates, 'api')!.spec;
  return {
    certificatePem: server.crt,
    keyPem: server.key,
    clientCaPem: acceptedCAs.join(''),
    clientAuth: 'require',
  };
}
