import type { Controller } from '../../../cosi/index.ts';
import { exclusive, weak } from '../../../cosi/index.ts';
import type { Machine } from '../../machine.ts';
import { NetworkStatuses } from '../../resources/network.ts';
import { TimeStatuses } from '../../resources/runtime.ts';
import { CertSans, KubernetesDynamicCerts, KubernetesRootSecrets } from '../../resources/secrets.ts';
import { Issuer, YEAR_HOURS } from '../../secrets/issue.ts';
import { timedPasses } from '../wake-timer.ts';

/** Certificates that the API server reads anew while it runs. */
export function kubernetesDynamicCertsController(machine: Machine): Controller {
  const { crypto, clock } = machine.platform;
  return {
    name: 'secrets.KubernetesDynamicCertsController',
    inputs: [
      weak(KubernetesRootSecrets, 'k8s'),
      weak(CertSans, 'k8s'),
      weak(NetworkStatuses, 'status'),
      weak(TimeStatuses, 'node'),
    ],
    outputs: [exclusive(KubernetesDynamicCerts)],
    run: (context) =>
      timedPasses(clock, context, (renewal) => {
        const root = context.get(KubernetesRootSecrets, 'k8s');
        const sans = context.get(CertSans, 'k8s');
        const network = context.get(NetworkStatuses, 'status');
        if (root === undefined || sans === undefined) return false;
        if (network?.spec.addressReady !== true || context.get(TimeStatuses, 'node')?.spec.synced !== true)
          return false;
        const issuer = new Issuer(crypto, clock, root.spec.issuingCA);
        const aggregator = new Issuer(crypto, clock, root.spec.aggregatorCA);
        const common = { hours: YEAR_HOURS, keySpec: 'ecdsa-p256' } as const;
        context.set(KubernetesDynamicCerts, 'k8s-dynamic-certs', {
          apiServer: issuer.issue({
            ...common,
            commonName: 'kube-apiserver',
            organizations: ['kube-master'],
            names: [...sans.spec.ips, ...sans.spec.dnsNames],
            usages: ['server-auth'],
          }),
          apiServerKubeletClient: issuer.issue({
            ...common,
            commonName: 'apiserver-kubelet-client',
            organizations: ['system:masters'],
            usages: ['client-auth'],
          }),
          frontProxy: aggregator.issue({ ...common, commonName: 'front-proxy-client', usages: ['client-auth'] }),
        });
        renewal.atHalfLife(YEAR_HOURS, context);
        return true;
      }),
  };
}
