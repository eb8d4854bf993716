import { parseAllDocuments } from 'yaml';
import type { Session } from '../engine/session.ts';
import { readTalosconfig } from '../talosctl/talosconfig.ts';

/** What a reviewer would say of the files on the operator's workstation. Empty when there is nothing to say. */
export function adviceOn(session: Session): string[] {
  const advice: string[] = [];
  const vip = session.observer.view().vip?.address;
  for (const path of session.files.written()) {
    const text = session.files.readText(path);
    if (text === undefined) continue;
    const host = clusterEndpointHost(text);
    const machine = session.scenario.machines.find(({ address }) => address === host);
    if (machine !== undefined && session.scenario.machines.length > 1)
      advice.push(
        `${path}: the cluster endpoint ${host} is the address of ${machine.name} alone: kubelets, kubeconfigs and certificates that name it die with that machine. Use a virtual address, a load balancer or a DNS name.`,
      );
    if (vip !== undefined && talosEndpoints(text, path).includes(vip))
      advice.push(
        `${path}: the virtual address ${vip} is an endpoint of talosctl: it is gone whenever etcd has no quorum, which is when talosctl is needed. List the control planes' own addresses.`,
      );
  }
  return advice;
}

/** Host of `cluster.controlPlane.endpoint`; undefined where the file is no machine config. */
function clusterEndpointHost(text: string): string | undefined {
  if (!text.includes('controlPlane:')) return undefined;
  for (const document of parseAllDocuments(text)) {
    if (!('toJS' in document)) continue;
    const config = document.toJS() as { cluster?: { controlPlane?: { endpoint?: unknown } } } | null;
    const endpoint = config?.cluster?.controlPlane?.endpoint;
    if (typeof endpoint === 'string') return /^https?:\/\/\[?([^\]/:]+|[^\]]+(?=\]))/.exec(endpoint)?.[1];
  }
  return undefined;
}

function talosEndpoints(text: string, path: string): readonly string[] {
  if (!text.includes('contexts:')) return [];
  const config = readTalosconfig(text, path);
  return typeof config === 'string' ? [] : Object.values(config.contexts).flatMap(({ endpoints }) => endpoints);
}
