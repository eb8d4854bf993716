import type { Controller } from '../../../cosi/index.ts';
import { exclusive, weak } from '../../../cosi/index.ts';
import { isControlPlane } from '../../config/settings.ts';
import type { Machine } from '../../machine.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import { NetworkStatuses } from '../../resources/network.ts';
import { CertSans, OsRootSecrets, TrustdCertificates } from '../../resources/secrets.ts';
import { Issuer } from '../../secrets/issue.ts';
import { timedPasses } from '../wake-timer.ts';

const HOURS = 24;

/** Server certificate of trustd on control planes. */
export function trustdController(machine: Machine): Controller {
  const { crypto, clock } = machine.platform;
  return {
    name: 'secrets.TrustdController',
    inputs: [
      weak(OsRootSecrets, 'os'),
      weak(CertSans, 'api'),
      weak(NetworkStatuses, 'status'),
      weak(MachineTypes, MACHINE_TYPE),
    ],
    outputs: [exclusive(TrustdCertificates)],
    run: (context) =>
      timedPasses(clock, context, (renewal) => {
        const type = context.get(MachineTypes, MACHINE_TYPE);
        const root = context.get(OsRootSecrets, 'os');
        const sans = context.get(CertSans, 'api');
        const network = context.get(NetworkStatuses, 'status');
        if (type === undefined || !isControlPlane(type.spec) || root === undefined || sans === undefined) return false;
        if (network?.spec.addressReady !== true || !network.spec.hostnameReady) return false;
        const server = new Issuer(crypto, clock, root.spec.issuingCA).issue({
          commonName: sans.spec.fqdn,
          names: [...sans.spec.ips, ...sans.spec.dnsNames],
          hours: HOURS,
          usages: ['server-auth'],
          keySpec: 'ed25519',
        });
        context.set(TrustdCertificates, 'trustd', {
          acceptedCAs: root.spec.acceptedCAs,
          server,
          client: { crt: '', key: '' },
        });
        renewal.atHalfLife(HOURS, context);
        return true;
      }),
  };
}
