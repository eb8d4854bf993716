import { SECRETS } from './machine.ts';

function pod(name: string, flags: readonly string[], probes: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'kube-system', labels: { 'k8s-app': name } },
    spec: {
      hostNetwork: true,
      containers: [
        {
          name,
          image: `registry.k8s.io/${name}:v1.34.1`,
          command: [`/usr/local/bin/${name}`, ...flags],
          env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
          volumeMounts: [{ name: 'secrets', mountPath: SECRETS, readOnly: true }],
          ...probes,
        },
      ],
      volumes: [{ name: 'secrets', hostPath: { path: SECRETS } }],
    },
  };
}

const probe = (path: string, port: number, more: object = {}): object => ({
  httpGet: { path, host: 'localhost', port, scheme: 'HTTPS' },
  ...more,
});

/** The control plane as static pods, with the flags that matter here. */
export function controlPlanePods(): object[] {
  return [
    pod('kube-apiserver', [
      '--advertise-address=$(POD_IP)',
      '--etcd-servers=https://localhost:2379',
      `--etcd-cafile=${SECRETS}/ca.crt`,
      `--etcd-certfile=${SECRETS}/server.crt`,
      `--etcd-keyfile=${SECRETS}/server.key`,
      `--tls-cert-file=${SECRETS}/server.crt`,
      `--tls-private-key-file=${SECRETS}/server.key`,
      `--client-ca-file=${SECRETS}/ca.crt`,
    ]),
    pod(
      'kube-controller-manager',
      [
        `--kubeconfig=${SECRETS}/kube-controller-manager`,
        `--cluster-signing-cert-file=${SECRETS}/ca.crt`,
        `--cluster-signing-key-file=${SECRETS}/ca.key`,
        '--bind-address=127.0.0.1',
      ],
      {
        startupProbe: probe('/healthz', 10_257, { periodSeconds: 5, failureThreshold: 12 }),
        livenessProbe: probe('/healthz', 10_257, { timeoutSeconds: 15 }),
      },
    ),
    pod('kube-scheduler', [`--kubeconfig=${SECRETS}/kube-scheduler`, '--bind-address=127.0.0.1'], {
      readinessProbe: probe('/readyz', 10_259),
    }),
  ];
}
