import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import type { Machine } from '../../machine.ts';
import { addressOf } from '../../net/addresses.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { NodeAddresses } from '../../resources/network.ts';
import { MaintenanceServiceCerts } from '../../resources/secrets.ts';
import { Issuer, TEN_YEARS_HOURS } from '../../secrets/issue.ts';

/** A self-made certificate for the maintenance API: nobody can verify it. */
export function maintenanceCertController(machine: Machine): Controller {
  return passController({
    name: 'secrets.MaintenanceCertsController',
    inputs: [weak(NodeAddresses, 'accumulative'), weak(MachineConfigs, ACTIVE_CONFIG)],
    outputs: [exclusive(MaintenanceServiceCerts)],
    pass: (context) => {
      const addresses = context.get(NodeAddresses, 'accumulative')?.spec.addresses ?? [];
      if (addresses.length === 0 || context.get(MachineConfigs, ACTIVE_CONFIG) !== undefined) return undefined;
      const { crypto, clock } = machine.platform;
      const nowSec = Math.floor(clock.nowUs() / 1_000_000);
      const authority = crypto.selfSignedAuthority({
        subject: { organizations: ['talos'] },
        keySpec: 'ed25519',
        notBeforeSec: nowSec,
        notAfterSec: nowSec + TEN_YEARS_HOURS * 3600,
      });
      const issuer = new Issuer(crypto, clock, {
        crt: crypto.certificateToPem(authority.certificate),
        key: crypto.privateKeyToPem(authority.key),
      });
      const server = issuer.issue({
        commonName: 'maintenance-service.talos.dev',
        names: [...addresses.map(addressOf), 'maintenance-service.talos.dev'],
        hours: TEN_YEARS_HOURS,
        usages: ['server-auth'],
        keySpec: 'ed25519',
      });
      context.set(MaintenanceServiceCerts, 'maintenance', { server });
      return undefined;
    },
  });
}
