import { etcd } from '../etcd/server/images.ts';
import { kubeApiserver } from '../kube/apiserver/apiserver.ts';
import { kubeControllerManager } from '../kube/controller-manager/controller-manager.ts';
import { kubeScheduler } from '../kube/scheduler/scheduler.ts';
import { machined } from '../nodes/machined.ts';
import { TALOS_V1_11_3 } from '../nodes/profile/v1_11_3.ts';
import type { Program } from '../platform/containers.ts';
import { timeServer } from '../services/time/server.ts';
import type { ProgramSet } from './programs.ts';

const idle: Program = function* ({ signals }) {
  yield* signals.receive();
  return 0;
};

/** What the images of a Talos v1.11.3 cluster run, and the services outside of it. */
export const PROGRAMS: ProgramSet = Object.freeze({
  images: Object.freeze({
    'gcr.io/etcd-development/etcd': () => etcd,
    'ghcr.io/siderolabs/installer': () => idle,
    'ghcr.io/siderolabs/kubelet': () => idle,
    'registry.k8s.io/kube-apiserver': () => kubeApiserver,
    'registry.k8s.io/kube-controller-manager': () => kubeControllerManager,
    'registry.k8s.io/kube-scheduler': () => kubeScheduler,
    'registry.k8s.io/kube-proxy': () => idle,
    'registry.k8s.io/coredns/coredns': () => idle,
    'ghcr.io/siderolabs/flannel': () => idle,
    'registry.k8s.io/pause': () => idle,
  }),
  machined: () => (platform, surroundings) => machined(platform, TALOS_V1_11_3, surroundings),
  discovery: idle,
  discoveryArgs: ['discovery-service'],
  time: timeServer,
  loadBalancer: idle,
});
