import { Document, parseAllDocuments } from 'yaml';
import { PATCH_TYPES } from '../../kube/apiserver/patch.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { KubeError } from '../../kube/objects/errors.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import { findByName, findKind, type ResourceType } from '../../kube/objects/resources.ts';
import type { Task } from '../../platform/task.ts';
import { type Command, exactArgs, minimumArgs, noArgs, type ParsedCommand, rangeArgs } from '../cobra/command.ts';
import { flag } from '../cobra/flags.ts';
import { evaluateJsonPath } from '../cobra/jsonpath.ts';
import { tabulate } from '../cobra/tabwriter.ts';
import type { ToolContext } from '../tools/tool.ts';
import { tableOf } from './print.ts';

/** Ends a command with a text on standard error and exit code 1. */
export class KubectlFailure extends Error {}

/** The cluster that a command talks to. */
export interface Opened {
  readonly client: KubeClient;
  /** `10.0.0.5:6443` */
  readonly server: string;
  readonly namespace: string;
}

export type KubectlRunner = (
  parsed: ParsedCommand<KubectlRunner>,
  context: ToolContext,
  cluster: Opened,
) => Task<number>;
type Parsed = ParsedCommand<KubectlRunner>;

const OUTPUT = flag('output', 'string', '', 'Output format: json, yaml, name, wide or jsonpath=…', { short: 'o' });

export const kubectlTree: Command<KubectlRunner> = {
  use: 'kubectl',
  short: 'kubectl controls the Kubernetes cluster manager.',
  persistentFlags: [
    flag('kubeconfig', 'string', '', 'Path to the kubeconfig file to use for CLI requests.'),
    flag('context', 'string', '', 'The name of the kubeconfig context to use'),
    flag('namespace', 'string', '', 'If present, the namespace scope for this CLI request', { short: 'n' }),
    flag('server', 'string', '', 'The address and port of the Kubernetes API server', { short: 's' }),
  ],
  commands: [
    {
      use: 'get TYPE [NAME...]',
      short: 'Display one or many resources',
      args: minimumArgs(1),
      run: get,
      flags: [
        OUTPUT,
        flag('selector', 'string', '', 'Selector (label query) to filter on', { short: 'l' }),
        flag('field-selector', 'string', '', 'Selector (field query) to filter on'),
        flag('all-namespaces', 'bool', false, 'If present, list the requested object(s) across all namespaces', {
          short: 'A',
        }),
        flag('no-headers', 'bool', false, "When using the default or custom-column output format, don't print headers"),
      ],
    },
    { use: 'delete TYPE NAME', short: 'Delete resources', args: rangeArgs(1, 2), run: remove },
    {
      use: 'apply',
      short: 'Apply a configuration to a resource',
      args: noArgs,
      run: apply,
      flags: [
        flag('filename', 'string', '', 'The file that contains the configuration to apply', {
          short: 'f',
          required: true,
        }),
      ],
    },
    {
      use: 'create',
      short: 'Create a resource from a file',
      args: noArgs,
      run: create,
      flags: [flag('filename', 'string', '', 'The file to use to create the resource', { short: 'f', required: true })],
    },
    { use: 'cordon NODE', short: 'Mark node as unschedulable', args: exactArgs(1), run: cordon(true) },
    { use: 'uncordon NODE', short: 'Mark node as schedulable', args: exactArgs(1), run: cordon(false) },
    { use: 'version', short: 'Print the client and server version information', args: noArgs, run: version },
    { use: 'cluster-info', short: 'Display cluster information', args: noArgs, run: clusterInfo },
  ],
};

interface Target {
  readonly type: ResourceType;
  readonly names: readonly string[];
}

/** `nodes`, `node cp-1`, `node/cp-1`. */
function targetOf(args: readonly string[]): Target {
  const [first = '', ...names] = args;
  const slash = first.indexOf('/');
  const typeName = slash < 0 ? first : first.slice(0, slash);
  const type = findByName(typeName);
  if (type === undefined) throw new KubectlFailure(`error: the server doesn't have a resource type "${typeName}"`);
  return { type, names: slash < 0 ? names : [first.slice(slash + 1), ...names] };
}

function namespaceOf(parsed: Parsed, cluster: Opened, type: ResourceType): string | undefined {
  return type.namespaced ? parsed.flags.text('namespace') || cluster.namespace : undefined;
}

function* get(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const { flags } = parsed;
  const { type, names } = targetOf(parsed.args);
  const everywhere = flags.on('all-namespaces') && type.namespaced;
  const namespace = everywhere ? undefined : namespaceOf(parsed, cluster, type);
  const objects: KubeObject[] = [];
  if (names.length > 0) for (const name of names) objects.push(yield* cluster.client.get(type, namespace, name));
  else {
    const selection = {
      ...(flags.text('selector') !== '' && { labelSelector: flags.text('selector') }),
      ...(flags.text('field-selector') !== '' && { fieldSelector: flags.text('field-selector') }),
    };
    objects.push(...(yield* cluster.client.list(type, namespace, selection)).items);
  }
  const output = flags.text('output');
  const single = names.length === 1;
  if (output === 'json') context.out(`${JSON.stringify(single ? objects[0] : listOf(objects), undefined, 4)}\n`);
  else if (output === 'yaml')
    context.out(new Document(single ? objects[0] : listOf(objects)).toString({ lineWidth: 0 }));
  else if (output === 'name')
    context.out(
      objects
        .map((object) => `${type.singular}${type.group === '' ? '' : `.${type.group}`}/${object.metadata.name}\n`)
        .join(''),
    );
  else if (output.startsWith('jsonpath='))
    context.out(evaluateJsonPath(output.slice('jsonpath='.length), single ? objects[0] : listOf(objects)));
  else if (output !== '' && output !== 'wide')
    throw new KubectlFailure(
      `error: unable to match a printer suitable for the output format "${output}", allowed formats are: json,jsonpath,name,wide,yaml`,
    );
  else if (objects.length === 0)
    context.err(
      type.namespaced && !everywhere ? `No resources found in ${namespace} namespace.\n` : 'No resources found\n',
    );
  else
    context.out(
      tabulate(
        tableOf(type, objects, context.platform.clock.nowUs(), {
          wide: output === 'wide',
          namespaces: everywhere,
          headers: !flags.on('no-headers'),
        }),
      ),
    );
  return 0;
}

function listOf(objects: readonly KubeObject[]): object {
  return { apiVersion: 'v1', items: objects, kind: 'List', metadata: { resourceVersion: '' } };
}

function* remove(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const { type, names } = targetOf(parsed.args);
  if (names.length === 0) throw new KubectlFailure('error: resource(s) were provided, but no name was specified');
  for (const name of names) {
    yield* cluster.client.remove(type, namespaceOf(parsed, cluster, type), name);
    context.out(`${type.singular}${type.group === '' ? '' : `.${type.group}`} "${name}" deleted\n`);
  }
  return 0;
}

function documentsOf(parsed: Parsed, context: ToolContext): { type: ResourceType; object: KubeObject }[] {
  const path = parsed.flags.text('filename');
  const text = context.files.readText(path);
  if (text === undefined) throw new KubectlFailure(`error: the path "${path}" does not exist`);
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0)
      throw new KubectlFailure(
        `error: error parsing ${path}: error converting YAML to JSON: ${document.errors[0]!.message}`,
      );
    const object = document.toJS() as KubeObject;
    const type = findKind(object?.apiVersion, object?.kind);
    if (type === undefined)
      throw new KubectlFailure(
        `error: resource mapping not found for name: "${object?.metadata?.name ?? ''}" from "${path}": no matches for kind "${object?.kind}" in version "${object?.apiVersion}"`,
      );
    return { type, object };
  });
}

function* apply(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  for (const { type, object } of documentsOf(parsed, context)) {
    const namespace = type.namespaced ? (object.metadata.namespace ?? namespaceOf(parsed, cluster, type)) : undefined;
    const what = `${type.singular}${type.group === '' ? '' : `.${type.group}`}/${object.metadata.name}`;
    const existing = yield* cluster.client.find(type, namespace, object.metadata.name);
    if (existing === undefined) {
      yield* cluster.client.create(type, namespace, object);
      context.out(`${what} created\n`);
      continue;
    }
    const patched = yield* cluster.client.patch(type, namespace, object.metadata.name, PATCH_TYPES.strategic, object);
    context.out(
      `${what} ${patched.metadata.resourceVersion === existing.metadata.resourceVersion ? 'unchanged' : 'configured'}\n`,
    );
  }
  return 0;
}

function* create(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  for (const { type, object } of documentsOf(parsed, context)) {
    const namespace = type.namespaced ? (object.metadata.namespace ?? namespaceOf(parsed, cluster, type)) : undefined;
    const created = yield* cluster.client.create(type, namespace, object);
    context.out(`${type.singular}${type.group === '' ? '' : `.${type.group}`}/${created.metadata.name} created\n`);
  }
  return 0;
}

function cordon(unschedulable: boolean): KubectlRunner {
  return function* run(parsed, context, cluster) {
    const [name = ''] = parsed.args;
    const nodes = findByName('nodes')!;
    const node = yield* cluster.client.get(nodes, undefined, name);
    const already = ((node.spec as { unschedulable?: boolean } | undefined)?.unschedulable === true) === unschedulable;
    if (!already)
      yield* cluster.client.patch(nodes, undefined, name, PATCH_TYPES.merge, {
        spec: { unschedulable: unschedulable ? true : null },
      });
    context.out(`node/${name} ${already ? 'already ' : ''}${unschedulable ? 'cordoned' : 'uncordoned'}\n`);
    return 0;
  };
}

function* version(_parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  context.out('Client Version: v1.34.1\nKustomize Version: v5.7.1\n');
  const info = (yield* cluster.client.raw('/version')) as { gitVersion: string };
  context.out(`Server Version: ${info.gitVersion}\n`);
  return 0;
}

function* clusterInfo(_parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const answer = yield* cluster.client.raw('/readyz');
  if (answer !== 'ok') throw new KubeError('InternalError', 'the API server is not ready');
  context.out(`Kubernetes control plane is running at https://${cluster.server}\n`);
  return 0;
}
