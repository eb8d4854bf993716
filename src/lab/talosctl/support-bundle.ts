import { stringify } from 'yaml';
import type { Data } from '../../api/machine/common.ts';
import { InspectService, MachineService } from '../../api/machine/services.ts';
import { clientFor, readClientConfig } from '../../kube/client/kubeconfig.ts';
import { KubeError } from '../../kube/objects/errors.ts';
import { findResource } from '../../kube/objects/resources.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import type { ClientStream } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import { Empty } from '../../rpc/well-known.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { TalosClient } from './client.ts';
import { downloadKubeconfig } from './commands/cluster.ts';
import { graphOf } from './commands/inspect.ts';
import { yamlText } from './resource-text.ts';
import { listResources, resourceTypes } from './resources.ts';
import { CommandFailure } from './run.ts';

type Entries = readonly (readonly [name: string, text: string])[];

/** One source of a support bundle: its name in reports of errors, and what it gives. Throws RpcError, CommandFailure. */
export interface Collector {
  readonly source: string;
  collect(): Task<Entries>;
}

const SENSITIVE = 1;

/** What is asked of one node. */
export function nodeCollectors(client: TalosClient, context: ToolContext, node: string): readonly Collector[] {
  return [
    { source: `${node}/dmesg.log`, collect: () => dmesg(client, node) },
    { source: `${node}/summary`, collect: () => summary(client, context, node) },
    { source: `${node}/service-logs`, collect: () => services(client, node) },
    { source: `${node}/resources`, collect: () => resources(client, node) },
    { source: `${node}/dependencies.dot`, collect: () => dependencies(client, node) },
  ];
}

/** What is asked of the Kubernetes API, with the kubeconfig of a node. */
export function kubernetesCollectors(client: TalosClient, context: ToolContext, node: string): readonly Collector[] {
  return [{ source: 'kubernetesResources', collect: () => kubernetes(client, context, node) }];
}

function* dmesg(client: TalosClient, node: string): Task<Entries> {
  const stream = client.singleStream(MachineService.Dmesg, node);
  stream.send({ follow: false, tail: false });
  return [[`${node}/dmesg.log`, yield* textOf(stream)]];
}

function* summary(client: TalosClient, context: ToolContext, node: string): Task<Entries> {
  const { messages } = yield* client.single(MachineService.Version, Empty.empty, node);
  const server = messages[0]!.version!;
  const text = `Client:\n\tTag:         ${context.talosVersion}\nServer:\n\tNODE:        ${node}\n\tTag:         ${server.tag}\n`;
  return [[`${node}/summary`, text]];
}

function* services(client: TalosClient, node: string): Task<Entries> {
  const { messages } = yield* client.single(MachineService.ServiceList, Empty.empty, node);
  const logs = yield* client.single(MachineService.LogsContainers, Empty.empty, node);
  const entries: (readonly [string, string])[] = [];
  for (const service of messages[0]!.services)
    entries.push([`${node}/service-logs/${service.id}.state`, stringify(service)]);
  for (const id of logs.messages[0]!.ids) {
    const stream = client.singleStream(MachineService.Logs, node);
    stream.send({ namespace: 'system', id, driver: 0, follow: false, tailLines: -1 });
    entries.push([`${node}/service-logs/${id}.log`, yield* textOf(stream)]);
  }
  return entries;
}

/** Every type that has resources; what is secret is not told. */
function* resources(client: TalosClient, node: string): Task<Entries> {
  const entries: (readonly [string, string])[] = [];
  for (const { id, definition } of yield* resourceTypes(client, node)) {
    const found = yield* listResources(client, node, definition.resourceType, definition.defaultNamespace);
    if (found.length === 0) continue;
    const text = found.map((resource) => {
      const yaml = yamlText({ node, resource }).replace(/^node: .*\n/, '');
      return definition.sensitivity === SENSITIVE ? yaml.replace(/^spec:[\s\S]*/m, 'spec: <REDACTED>\n') : yaml;
    });
    entries.push([`${node}/resources/${id}.yaml`, text.join('---\n')]);
  }
  return entries;
}

function* dependencies(client: TalosClient, node: string): Task<Entries> {
  const { messages } = yield* client.single(InspectService.ControllerRuntimeDependencies, Empty.empty, node);
  return [[`${node}/dependencies.dot`, graphOf(messages.flatMap(({ edges }) => edges))]];
}

function* kubernetes(client: TalosClient, context: ToolContext, node: string): Task<Entries> {
  const kubeconfig = yield* downloadKubeconfig(client.singleStream(MachineService.Kubeconfig, node));
  const config = readClientConfig(kubeconfig);
  if (config === undefined) throw new CommandFailure('no usable kubeconfig');
  const kube = clientFor(context.platform, config);
  try {
    const nodes = yield* kube.list(findResource('v1', 'nodes')!);
    const pods = yield* kube.list(findResource('v1', 'pods')!, 'kube-system');
    return [
      ['kubernetesResources/nodes.yaml', stringify(nodes)],
      ['kubernetesResources/systemPods.yaml', stringify(pods)],
    ];
  } catch (error) {
    if (error instanceof KubeError || error instanceof HttpError) throw new CommandFailure(error.message);
    throw error;
  } finally {
    kube.close();
  }
}

function* textOf(stream: ClientStream<never, Data>): Task<string> {
  stream.closeSend();
  let text = '';
  for (let data = yield* stream.receive(); data !== undefined; data = yield* stream.receive())
    text += utf8Decode(data.bytes);
  return text;
}
