import { eventKind } from '../platform/log.ts';

/** A Node object changed, as an API server's watch saw it. */
export const nodeChanged = eventKind<{
  readonly name: string;
  readonly ready: boolean;
  readonly deleted: boolean;
  readonly revision: number;
}>('kube.node.changed');

/** An API server began (or ceased) to answer requests. */
export const apiServing = eventKind<{ readonly serving: boolean }>('kube.apiserver.serving');

/** A controller-manager or scheduler won its leader election. */
export const componentLeads = eventKind<{ readonly component: string; readonly identity: string }>(
  'kube.component.leads',
);

/** A pod's phase or readiness changed on its kubelet. */
export const podChanged = eventKind<{
  readonly pod: string;
  readonly node: string;
  readonly phase: string;
  readonly ready: boolean;
}>('kube.pod.changed');

/** A kubelet registered its Node, or got its client certificate. */
export const kubeletRegistered = eventKind<{ readonly node: string }>('kube.kubelet.registered');
export const kubeletCertified = eventKind<{ readonly node: string }>('kube.kubelet.certified');
