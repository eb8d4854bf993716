import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { weak } from '../../../cosi/index.ts';
import { CryptoError, certificateFromPem } from '../../../platform/crypto.ts';
import type { Task } from '../../../platform/task.ts';
import { chainProblem } from '../../../platform/x509/verify.ts';
import { specYaml } from '../../api/yaml.ts';
import {
  KUBELET_BOOTSTRAP_KUBECONFIG,
  KUBELET_CA,
  KUBELET_CONFIG,
  KUBELET_CREDENTIAL_PROVIDERS,
  KUBELET_KUBECONFIG,
  KUBELET_PKI,
  onHost,
} from '../../kube/paths.ts';
import type { Machine } from '../../machine.ts';
import { type KubeletSpecSpec, KubeletSpecs } from '../../resources/k8s.ts';
import { EtcFileStatuses, MountStatuses } from '../../resources/runtime.ts';
import { KubeletSecrets, type KubeletSecretsSpec } from '../../resources/secrets.ts';
import { renderKubeconfig } from '../../secrets/kubeconfig.ts';
import { KUBELET, kubeletService } from '../../services/builtin/kubelet.ts';

const CLIENT_CERTIFICATE = `${KUBELET_PKI}/kubelet-client-current.pem`;

/** Writes the kubelet's files and (re)starts it at every change of its spec or secrets (reference/controllers.md B.4.3). */
export function kubeletServiceController(machine: Machine): Controller {
  return {
    name: 'k8s.KubeletServiceController',
    inputs: [weak(EtcFileStatuses, 'machine-id'), weak(MountStatuses, 'EPHEMERAL')],
    outputs: [],
    *run(context) {
      for (;;) {
        yield* context.wakeUp();
        const machineId = context.get(EtcFileStatuses, 'machine-id');
        if (machineId !== undefined && context.get(MountStatuses, 'EPHEMERAL') !== undefined) break;
      }
      context.updateInputs([weak(KubeletSpecs, KUBELET), weak(KubeletSecrets, KUBELET)]);
      context.queueReconcile();
      for (;;) {
        yield* context.wakeUp();
        yield* reconcile(machine, context);
        context.resetRestartBackoff();
      }
    },
  };
}

function* reconcile(machine: Machine, context: ControllerContext): Task<void> {
  const spec = context.get(KubeletSpecs, KUBELET)?.spec;
  const secrets = context.get(KubeletSecrets, KUBELET)?.spec;
  if (spec === undefined || secrets === undefined) return;
  const { services, files } = machine;
  yield* files.write(onHost(KUBELET_BOOTSTRAP_KUBECONFIG), bootstrapKubeconfig(secrets));
  yield* files.write(onHost(KUBELET_CA), secrets.acceptedCAs.join(''));
  yield* files.write(onHost(KUBELET_CONFIG), specYaml(spec.config));
  yield* writeCredentialProviders(machine, spec);
  services.load(kubeletService(machine));
  if (services.get(KUBELET).active) yield* services.stop(KUBELET);
  yield* dropForeignCertificate(machine, spec, secrets);
  yield* refreshKubeconfig(machine, secrets);
  services.start(KUBELET);
}

function* writeCredentialProviders(machine: Machine, spec: KubeletSpecSpec): Task<void> {
  const path = onHost(KUBELET_CREDENTIAL_PROVIDERS);
  const { files, platform } = machine;
  if (Object.keys(spec.credentialProviderConfig).length > 0)
    yield* files.write(path, specYaml(spec.credentialProviderConfig));
  else if (yield* files.exists(path)) yield* platform.disk.remove(path);
}

function bootstrapKubeconfig(secrets: KubeletSecretsSpec): string {
  return renderKubeconfig({
    cluster: 'local',
    user: 'kubelet',
    context: 'kubelet@local',
    server: secrets.endpoint,
    caPem: secrets.acceptedCAs.join(''),
    client: { token: `${secrets.bootstrapTokenID}.${secrets.bootstrapTokenSecret}` },
  });
}

/** A client certificate for another name, of another authority or out of date makes the kubelet introduce itself anew. */
function* dropForeignCertificate(machine: Machine, spec: KubeletSpecSpec, secrets: KubeletSecretsSpec): Task<void> {
  const { files, platform } = machine;
  const pem = yield* files.read(CLIENT_CERTIFICATE);
  if (pem === undefined || isValid(machine, pem, spec, secrets)) return;
  machine.kmsg.talos('removing kubelet client certificate: it does not fit');
  yield* files.disk.removeTree(KUBELET_PKI);
  if (yield* files.exists(onHost(KUBELET_KUBECONFIG))) yield* platform.disk.remove(onHost(KUBELET_KUBECONFIG));
}

function isValid(machine: Machine, pem: string, spec: KubeletSpecSpec, secrets: KubeletSecretsSpec): boolean {
  const { crypto, clock } = machine.platform;
  try {
    const certificate = certificateFromPem(crypto, pem);
    const expected = `system:node:${spec.expectedNodename}`;
    if (spec.expectedNodename !== '' && certificate.subject.commonName !== expected) return false;
    const roots = secrets.acceptedCAs.map((ca) => certificateFromPem(crypto, ca));
    const nowSec = Math.floor(clock.nowUs() / 1_000_000);
    return chainProblem(crypto, certificate, { roots, nowSec, usage: 'client-auth' }) === null;
  } catch (error) {
    if (error instanceof CryptoError) return false;
    throw error;
  }
}

/** Points an existing kubeconfig at the endpoint of now. */
function* refreshKubeconfig(machine: Machine, secrets: KubeletSecretsSpec): Task<void> {
  const existing = yield* machine.files.read(onHost(KUBELET_KUBECONFIG));
  if (existing === undefined) return;
  const updated = existing.replace(/^(\s*server: ).*$/m, `$1${secrets.endpoint}`);
  if (updated !== existing) yield* machine.files.write(onHost(KUBELET_KUBECONFIG), updated);
}
