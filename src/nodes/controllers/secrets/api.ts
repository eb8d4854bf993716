import type { Controller, ControllerContext, Input } from '../../../cosi/index.ts';
import { ControllerError, exclusive, weak } from '../../../cosi/index.ts';
import { race } from '../../../platform/combinators.ts';
import type { Task } from '../../../platform/task.ts';
import { type CertificateAndKey, isControlPlane } from '../../config/settings.ts';
import { mergedAddresses } from '../../etcd/endpoints.ts';
import type { Machine } from '../../machine.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import { Endpoints } from '../../resources/k8s.ts';
import { NetworkStatuses } from '../../resources/network.ts';
import {
  ApiCertificates,
  type CertSanSpec,
  CertSans,
  OsRootSecrets,
  type OsRootSpec,
} from '../../resources/secrets.ts';
import { Issuer } from '../../secrets/issue.ts';
import { requestCertificate } from '../../trustd/client.ts';
import { timedPasses, type WakeTimer } from '../wake-timer.ts';

const HOURS = 24;

const INPUTS: readonly Input[] = Object.freeze([
  weak(MachineTypes, MACHINE_TYPE),
  weak(OsRootSecrets, 'os'),
  weak(CertSans, 'api'),
  weak(NetworkStatuses, 'status'),
]);

/**
 * Certificates of the Talos API: issued here on a control plane, asked of trustd on a worker. Renewed at half life and
 * whenever an input changes (reference/network-config.md E.9, reference/corrections.md 1a-29).
 */
export function apiController(machine: Machine): Controller {
  return {
    name: 'secrets.APIController',
    inputs: [weak(MachineTypes, MACHINE_TYPE)],
    outputs: [exclusive(ApiCertificates)],
    run: (context) => {
      let prepared = false;
      return timedPasses(machine.platform.clock, context, function* (renewal) {
        const type = context.get(MachineTypes, MACHINE_TYPE);
        if (type !== undefined && !prepared) {
          context.updateInputs(isControlPlane(type.spec) ? INPUTS : [...INPUTS, weak(Endpoints)]);
          prepared = true;
        }
        yield* pass(machine, context, renewal);
        return true;
      });
    },
  };
}

function* pass(machine: Machine, context: ControllerContext, renewal: WakeTimer): Task<void> {
  const type = context.get(MachineTypes, MACHINE_TYPE);
  if (type === undefined) return;
  const root = context.get(OsRootSecrets, 'os');
  const sans = context.get(CertSans, 'api');
  const network = context.get(NetworkStatuses, 'status');
  if (root === undefined || sans === undefined) return;
  if (network?.spec.addressReady !== true || !network.spec.hostnameReady) return;
  if (isControlPlane(type.spec)) issueLocally(machine, context, root.spec, sans.spec);
  else yield* askTrustd(machine, context, root.spec, sans.spec);
  renewal.atHalfLife(HOURS, context);
}

function issueLocally(machine: Machine, context: ControllerContext, root: OsRootSpec, sans: CertSanSpec): void {
  const { crypto, clock } = machine.platform;
  const issuer = new Issuer(crypto, clock, root.issuingCA);
  const names = [...sans.ips, ...sans.dnsNames];
  context.set(ApiCertificates, 'api', {
    acceptedCAs: root.acceptedCAs,
    server: issuer.issue({ commonName: sans.fqdn, names, hours: HOURS, usages: ['server-auth'], keySpec: 'ed25519' }),
    client: issuer.issue({
      commonName: sans.fqdn,
      organizations: ['os:impersonator'],
      hours: HOURS,
      usages: ['client-auth'],
      keySpec: 'ed25519',
    }),
  });
}

/** A change of the endpoint list ends the request; the pass that it causes makes a new one. */
function* askTrustd(machine: Machine, context: ControllerContext, root: OsRootSpec, sans: CertSanSpec): Task<void> {
  const addresses = mergedAddresses(context);
  if (addresses.length === 0) return;
  const endpointsChanged = (function* (): Task<CertificateAndKey | undefined> {
    const collection = machine.state.collection(Endpoints.namespace, Endpoints.type);
    yield* collection.changed.changed(collection.changed.version);
    return undefined;
  })();
  const server = yield* race<CertificateAndKey | undefined>({
    request: requestCertificate(machine.platform, { root, sans, addresses }),
    endpoints: endpointsChanged,
  });
  if (server === undefined) return;
  if (server.crt === '') throw new ControllerError('failed to sign API server CSR: empty certificate');
  const client = { crt: '', key: '' };
  context.set(ApiCertificates, 'api', { acceptedCAs: root.acceptedCAs, server, client });
}
