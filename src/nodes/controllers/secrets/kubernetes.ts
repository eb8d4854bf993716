import type { Controller } from '../../../cosi/index.ts';
import { exclusive, weak } from '../../../cosi/index.ts';
import type { CertificateAndKey } from '../../config/settings.ts';
import type { Machine } from '../../machine.ts';
import { TimeStatuses } from '../../resources/runtime.ts';
import {
  type KubernetesCertsSpec,
  KubernetesRootSecrets,
  type KubernetesRootSpec,
  KubernetesSecrets,
} from '../../resources/secrets.ts';
import { Issuer, YEAR_HOURS } from '../../secrets/issue.ts';
import { renderKubeconfig } from '../../secrets/kubeconfig.ts';
import { timedPasses } from '../wake-timer.ts';

/** Kubeconfigs of the control plane components and of the machine itself. */
export function kubernetesSecretsController(machine: Machine): Controller {
  const { crypto, clock } = machine.platform;
  return {
    name: 'secrets.KubernetesController',
    inputs: [weak(KubernetesRootSecrets, 'k8s'), weak(TimeStatuses, 'node')],
    outputs: [exclusive(KubernetesSecrets)],
    run: (context) =>
      timedPasses(clock, context, (renewal) => {
        const root = context.get(KubernetesRootSecrets, 'k8s');
        if (root === undefined || context.get(TimeStatuses, 'node')?.spec.synced !== true) return false;
        const issuer = new Issuer(crypto, clock, root.spec.issuingCA);
        context.set(KubernetesSecrets, 'k8s-certs', kubeconfigs(issuer, root.spec));
        renewal.atHalfLife(YEAR_HOURS, context);
        return true;
      }),
  };
}

function kubeconfigs(issuer: Issuer, root: KubernetesRootSpec): KubernetesCertsSpec {
  const client = (commonName: string, organizations: readonly string[]): CertificateAndKey =>
    issuer.issue({ commonName, organizations, hours: YEAR_HOURS, usages: ['client-auth'], keySpec: 'ecdsa-p256' });
  const component = (name: string): string =>
    renderKubeconfig({
      cluster: root.name,
      user: name,
      context: `${name}@${root.name}`,
      server: root.localEndpoint,
      caPem: root.acceptedCAs.join(''),
      client: client(name, [name]),
    });
  const admin = client('admin', ['system:masters']);
  const adminAt = (server: string): string => renderAdminKubeconfig(root, server, admin);
  return {
    schedulerKubeconfig: component('system:kube-scheduler'),
    controllerManagerKubeconfig: component('system:kube-controller-manager'),
    localhostAdminKubeconfig: adminAt(root.localEndpoint),
    adminKubeconfig: adminAt(root.endpoint),
  };
}

export function renderAdminKubeconfig(root: KubernetesRootSpec, server: string, client: CertificateAndKey): string {
  return renderKubeconfig({
    cluster: root.name,
    user: `admin@${root.name}`,
    context: `admin@${root.name}`,
    namespace: 'default',
    server,
    caPem: root.acceptedCAs.join(''),
    client,
  });
}
