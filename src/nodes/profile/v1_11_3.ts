import { MINUTE_US, SECOND_US } from '../../platform/clock.ts';
import type { Profile } from './profile.ts';
import { between, type Timings } from './timing.ts';

const MS = 1_000;

const CIPHERS = [
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
].join(',');

/** A small virtual machine with an SSD. */
const TIMINGS: Timings = Object.freeze({
  serviceStart: Object.freeze({
    default: between(80 * MS, 300 * MS, 'assumed'),
    containerd: between(300 * MS, 900 * MS, 'assumed'),
    cri: between(400 * MS, 1_200 * MS, 'assumed'),
    apid: between(200 * MS, 600 * MS, 'assumed'),
    trustd: between(200 * MS, 600 * MS, 'assumed'),
    etcd: between(150 * MS, 500 * MS, 'assumed'),
    kubelet: between(300 * MS, 900 * MS, 'assumed'),
  }),
  serverStop: between(5 * MS, 50 * MS, 'assumed'),
  bootTask: between(2 * MS, 30 * MS, 'assumed'),
  udevSettle: between(200 * MS, 1_500 * MS, 'assumed'),
  usbDelay: between(SECOND_US, SECOND_US, 'kernel default of usb-storage delay_use'),
  mount: between(50 * MS, 250 * MS, 'assumed'),
  install: between(8 * SECOND_US, 20 * SECOND_US, 'assumed'),
  dhcp: between(50 * MS, 1_500 * MS, 'assumed'),
  controllerPass: between(200, 3 * MS, 'assumed'),
});

/** Talos v1.11.3 (reference/v1.11.3.md 1, 2, 17; reference/controllers.md E.5). */
export const TALOS_V1_11_3: Profile = Object.freeze({
  version: 'v1.11.3',
  sha: 'a0243ef7',
  built: '2025-10-15T14:00:28Z',
  goVersion: 'go1.24.9',
  kernel: '6.12.52-talos',
  kubernetesVersion: '1.34.1',
  images: Object.freeze({
    installer: 'ghcr.io/siderolabs/installer:v1.11.3',
    etcd: 'gcr.io/etcd-development/etcd:v3.6.5',
    kubelet: 'ghcr.io/siderolabs/kubelet:v1.34.1',
    apiServer: 'registry.k8s.io/kube-apiserver:v1.34.1',
    controllerManager: 'registry.k8s.io/kube-controller-manager:v1.34.1',
    scheduler: 'registry.k8s.io/kube-scheduler:v1.34.1',
    proxy: 'registry.k8s.io/kube-proxy:v1.34.1',
    coreDns: 'registry.k8s.io/coredns/coredns:v1.12.4',
    flannel: 'ghcr.io/siderolabs/flannel:v0.27.4',
    pause: 'registry.k8s.io/pause:3.10',
  }),
  etcd: Object.freeze({
    fixedFlags: Object.freeze({
      'auto-tls': 'false',
      'cert-file': '/system/secrets/etcd/server.crt',
      'client-cert-auth': 'true',
      'data-dir': '/var/lib/etcd',
      'experimental-compact-hash-check-enabled': 'true',
      'experimental-initial-corrupt-check': 'true',
      'experimental-watch-progress-notify-interval': '5s',
      'key-file': '/system/secrets/etcd/server.key',
      'peer-auto-tls': 'false',
      'peer-cert-file': '/system/secrets/etcd/peer.crt',
      'peer-client-cert-auth': 'true',
      'peer-key-file': '/system/secrets/etcd/peer.key',
      'peer-trusted-ca-file': '/system/secrets/etcd/ca.crt',
      'trusted-ca-file': '/system/secrets/etcd/ca.crt',
    }),
    environment: Object.freeze({ ETCD_CIPHER_SUITES: CIPHERS }),
    joinLimitUs: 30 * MINUTE_US,
    joinAttemptUs: 30 * SECOND_US,
    joinPauseUs: 3 * SECOND_US,
    promoteLimitUs: 10 * MINUTE_US,
    promoteAttemptUs: 30 * SECOND_US,
    promotePauseUs: 15 * SECOND_US,
    pauseJitterUs: SECOND_US,
    healthInitialUs: 5 * SECOND_US,
    healthPeriodUs: 20 * SECOND_US,
    healthTimeoutUs: 15 * SECOND_US,
  }),
  limits: Object.freeze({
    bootUs: 70 * MINUTE_US,
    configLoadUs: 180 * MINUTE_US,
    serviceUpUs: 5 * MINUTE_US,
    udevdUs: 10 * MINUTE_US,
    volumesUs: 5 * MINUTE_US,
    lifecycleUs: 30 * SECOND_US,
  }),
  timings: TIMINGS,
});
