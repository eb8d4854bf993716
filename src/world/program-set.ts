import { etcd } from '../etcd/server/images.ts';
import { kubeApiserver } from '../kube/apiserver/apiserver.ts';
import { kubeControllerManager } from '../kube/controller-manager/controller-manager.ts';
import { kubelet } from '../kube/kubelet/kubelet.ts';
import { coredns } from '../kube/programs/coredns.ts';
import { flannel } from '../kube/programs/flannel.ts';
import { idle } from '../kube/programs/idle.ts';
import { kubeScheduler } from '../kube/scheduler/scheduler.ts';
import { machined } from '../nodes/machined.ts';
import { TALOS_V1_11_3 } from '../nodes/profile/v1_11_3.ts';
import type { Surroundings } from '../nodes/surroundings.ts';
import type { MachinePlatform } from '../platform/platform.ts';
import { discoveryService } from '../services/discovery/program.ts';
import { nameServer } from '../services/dns/server.ts';
import { loadBalancer } from '../services/load-balancer/server.ts';
import { timeServer } from '../services/time/server.ts';
import { ETCD, INSTALLER, type ProgramSet } from './programs.ts';

/** What the images of a Talos v1.11.3 cluster run, and the services outside of it. */
export const PROGRAMS: ProgramSet = {
  images: Object.freeze({
    [ETCD]: () => etcd,
    [INSTALLER]: () => idle,
    'ghcr.io/siderolabs/kubelet': kubelet,
    'registry.k8s.io/kube-apiserver': kubeApiserver,
    'registry.k8s.io/kube-controller-manager': () => kubeControllerManager,
    'registry.k8s.io/kube-scheduler': () => kubeScheduler,
    'registry.k8s.io/kube-proxy': () => idle,
    'registry.k8s.io/coredns/coredns': () => coredns,
    'ghcr.io/siderolabs/flannel': () => flannel,
    'registry.k8s.io/pause': () => idle,
  }),
  machined: () => (platform: MachinePlatform, surroundings: Surroundings) =>
    machined(platform, TALOS_V1_11_3, surroundings),
  discovery: discoveryService,
  time: timeServer,
  loadBalancer,
  nameServer,
};
