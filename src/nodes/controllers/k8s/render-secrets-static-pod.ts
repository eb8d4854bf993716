import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { privateKeyFromPem } from '../../../platform/crypto.ts';
import { specYaml } from '../../api/yaml.ts';
import { APISERVER_SECRETS, CONTROLLER_MANAGER_SECRETS, SCHEDULER_SECRETS } from '../../kube/paths.ts';
import type { Machine } from '../../machine.ts';
import { ETCD } from '../../resources/etcd.ts';
import { SecretStatuses } from '../../resources/k8s-control-plane.ts';
import {
  EtcdRootSecrets,
  EtcdSecrets,
  KubernetesDynamicCerts,
  KubernetesRootSecrets,
  type KubernetesRootSpec,
  KubernetesSecrets,
} from '../../resources/secrets.ts';

/** Writes the secrets of the control plane's static pods (reference/controllers.md B.2.6, reference/v1.11.3.md 8.4). */
export function renderSecretsStaticPodController(machine: Machine): Controller {
  return passController({
    name: 'k8s.RenderSecretsStaticPodController',
    inputs: [
      weak(KubernetesRootSecrets, 'k8s'),
      weak(EtcdRootSecrets, ETCD),
      weak(KubernetesSecrets, 'k8s-certs'),
      weak(KubernetesDynamicCerts, 'k8s-dynamic-certs'),
      weak(EtcdSecrets, ETCD),
    ],
    outputs: [exclusive(SecretStatuses)],
    pass: function* (context) {
      const root = context.get(KubernetesRootSecrets, 'k8s')?.spec;
      const etcdRoot = context.get(EtcdRootSecrets, ETCD)?.spec;
      const certs = context.get(KubernetesSecrets, 'k8s-certs');
      const dynamic = context.get(KubernetesDynamicCerts, 'k8s-dynamic-certs')?.spec;
      const etcd = context.get(EtcdSecrets, ETCD)?.spec;
      if (root === undefined || etcdRoot === undefined || certs === undefined) return;
      if (dynamic === undefined || etcd === undefined) return;
      const { crypto } = machine.platform;
      const serviceAccount = privateKeyFromPem(crypto, root.serviceAccountKey);
      const contents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
        [APISERVER_SECRETS]: {
          'etcd-client-ca.crt': etcdRoot.etcdCA.crt,
          'etcd-client.crt': etcd.etcdApiServer.crt,
          'etcd-client.key': etcd.etcdApiServer.key,
          'ca.crt': root.acceptedCAs.join(''),
          'apiserver.crt': dynamic.apiServer.crt,
          'apiserver.key': dynamic.apiServer.key,
          'apiserver-kubelet-client.crt': dynamic.apiServerKubeletClient.crt,
          'apiserver-kubelet-client.key': dynamic.apiServerKubeletClient.key,
          'service-account.pub': crypto.publicKeyToPem(serviceAccount.publicKey),
          'service-account.key': root.serviceAccountKey,
          'aggregator-ca.crt': root.aggregatorCA.crt,
          'front-proxy-client.crt': dynamic.frontProxy.crt,
          'front-proxy-client.key': dynamic.frontProxy.key,
          'encryptionconfig.yaml': encryptionConfig(root),
        },
        [CONTROLLER_MANAGER_SECRETS]: {
          'ca.crt': root.issuingCA.crt,
          'ca.key': root.issuingCA.key,
          'service-account.key': root.serviceAccountKey,
          kubeconfig: certs.spec.controllerManagerKubeconfig,
        },
        [SCHEDULER_SECRETS]: { kubeconfig: certs.spec.schedulerKubeconfig },
      };
      for (const [directory, entries] of Object.entries(contents)) {
        for (const [name, text] of Object.entries(entries)) yield* machine.files.write(`${directory}/${name}`, text);
      }
      context.set(SecretStatuses, 'static-pods', { ready: true, version: `${certs.metadata.version}` });
    },
  });
}

function encryptionConfig(root: KubernetesRootSpec): string {
  const { secretboxEncryptionSecret: secretbox, aescbcEncryptionSecret: aescbc } = root;
  return specYaml({
    apiVersion: 'v1',
    kind: 'EncryptionConfig',
    resources: [
      {
        resources: ['secrets'],
        providers: [
          ...(secretbox === '' ? [] : [{ secretbox: { keys: [{ name: 'key2', secret: secretbox }] } }]),
          ...(aescbc === '' ? [] : [{ aescbc: { keys: [{ name: 'key1', secret: aescbc }] } }]),
          { identity: {} },
        ],
      },
    ],
  });
}
