import { parseAllDocuments } from 'yaml';
import { PATCH_TYPES } from '../../kube/apiserver/patch.ts';
import { KubeError } from '../../kube/objects/errors.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import type { ResourceType } from '../../kube/objects/resources.ts';
import type { Task } from '../../platform/task.ts';
import type { ToolContext } from '../tools/tool.ts';
import {
  KubectlFailure,
  namespaceOf,
  type Opened,
  type Parsed,
  printedType,
  targetsOf,
  typeOfObject,
} from './session.ts';

const POLL_US = 500_000;

interface Item {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly object: KubeObject;
}

/** Objects of the file that `-f` names, one for each document; lists are taken apart. */
function itemsOf(parsed: Parsed, context: ToolContext, cluster: Opened): Item[] {
  const path = parsed.flags.text('filename');
  const text = context.files.readText(path);
  if (text === undefined) throw new KubectlFailure(`error: the path "${path}" does not exist`);
  const objects = parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0)
      throw new KubectlFailure(
        `error: error parsing ${path}: error converting YAML to JSON: yaml: ${document.errors[0]!.message.split('\n', 1)[0]}`,
      );
    const object = document.toJS() as (KubeObject & { readonly items?: readonly KubeObject[] }) | null;
    if (object === null) return [];
    return object.kind === 'List' ? (object.items ?? []) : [object];
  });
  if (objects.length === 0) throw new KubectlFailure('error: no objects passed to apply');
  return objects.map((object) => {
    const type = typeOfObject(object, path);
    return {
      type,
      object,
      namespace: type.namespaced ? (object.metadata.namespace ?? namespaceOf(parsed, cluster, type)) : undefined,
    };
  });
}

/** `kubectl apply -f`: creates, or merges what the file says into the object that is there. */
export function* apply(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  for (const { type, namespace, object } of itemsOf(parsed, context, cluster)) {
    const what = `${printedType(type)}/${object.metadata.name}`;
    const existing = yield* cluster.client.find(type, namespace, object.metadata.name);
    if (existing === undefined) {
      yield* cluster.client.create(type, namespace, object);
      context.out(`${what} created\n`);
      continue;
    }
    const patched = yield* cluster.client.patch(type, namespace, object.metadata.name, PATCH_TYPES.strategic, object);
    const same = patched.metadata.resourceVersion === existing.metadata.resourceVersion;
    context.out(`${what} ${same ? 'unchanged' : 'configured'}\n`);
  }
  return 0;
}

/** `kubectl create -f`. */
export function* create(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  for (const { type, namespace, object } of itemsOf(parsed, context, cluster)) {
    const created = yield* cluster.client.create(type, namespace, object);
    context.out(`${printedType(type)}/${created.metadata.name} created\n`);
  }
  return 0;
}

/** `kubectl create namespace NAME`. */
export function* createNamespace(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const [name = ''] = parsed.args;
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  yield* cluster.client.create(typeOfObject(namespace, name), undefined, namespace);
  context.out(`namespace/${name} created\n`);
  return 0;
}

/** `kubectl delete`: by name, by label, all of a type, or what a file names; waits until they are gone. */
export function* remove(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const victims = yield* victimsOf(parsed, context, cluster);
  if (victims.length === 0) context.err('No resources found\n');
  const { flags } = parsed;
  const force = flags.on('force');
  if (force)
    context.err(
      'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n',
    );
  const grace = force ? 0 : flags.number('grace-period');
  let failed = false;
  const deleted: Item[] = [];
  for (const victim of victims) {
    const { type, namespace, object } = victim;
    try {
      yield* cluster.client.remove(type, namespace, object.metadata.name, grace >= 0 ? { graceSeconds: grace } : {});
    } catch (error) {
      if (!(error instanceof KubeError) || error.reason !== 'NotFound') throw error;
      context.err(`Error from server (NotFound): ${error.message}\n`);
      failed = true;
      continue;
    }
    deleted.push(victim);
    const from = namespace === undefined ? '' : ` from ${namespace} namespace`;
    context.out(`${printedType(type)} "${object.metadata.name}" ${force ? 'force deleted' : 'deleted'}${from}\n`);
  }
  if (flags.on('wait'))
    for (const { type, namespace, object } of deleted) yield* untilGone(context, cluster, type, namespace, object);
  return failed ? 1 : 0;
}

function* victimsOf(parsed: Parsed, context: ToolContext, cluster: Opened): Task<Item[]> {
  const { flags, args } = parsed;
  if (flags.text('filename') !== '') return itemsOf(parsed, context, cluster);
  if (args.length === 0)
    throw new KubectlFailure('error: You must provide one or more resources by argument or filename.');
  const selector = flags.text('selector');
  const victims: Item[] = [];
  for (const { type, names } of targetsOf(args)) {
    const namespace = namespaceOf(parsed, cluster, type);
    if (names.length === 0) {
      if (selector === '' && !flags.on('all'))
        throw new KubectlFailure('error: resource(s) were provided, but no name was specified');
      const { items } = yield* cluster.client.list(type, namespace, selector === '' ? {} : { labelSelector: selector });
      victims.push(...items.map((object) => ({ type, namespace, object })));
    }
    for (const name of names) {
      const found = yield* cluster.client.find(type, namespace, name);
      const named = { apiVersion: '', kind: type.kind, metadata: { name } };
      victims.push({ type, namespace, object: found ?? named });
    }
  }
  return victims;
}

function* untilGone(
  context: ToolContext,
  cluster: Opened,
  type: ResourceType,
  namespace: string | undefined,
  object: KubeObject,
): Task<void> {
  const { name, uid } = object.metadata;
  for (;;) {
    const current = yield* cluster.client.find(type, namespace, name);
    if (current === undefined || (uid !== undefined && current.metadata.uid !== uid)) return;
    yield* context.platform.clock.sleep(POLL_US);
  }
}
