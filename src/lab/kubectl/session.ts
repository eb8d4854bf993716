import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import { findByName, findKind, type ResourceType } from '../../kube/objects/resources.ts';
import type { Task } from '../../platform/task.ts';
import type { ParsedCommand } from '../cobra/command.ts';
import type { ToolContext } from '../tools/tool.ts';

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
export type Parsed = ParsedCommand<KubectlRunner>;

/** Objects of one type that a command names; no name: all of them. */
export interface Target {
  readonly type: ResourceType;
  readonly names: readonly string[];
}

/** `nodes`, `node cp-1`, `node/cp-1 pod/x`, `nodes,pods`. */
export function targetsOf(args: readonly string[]): Target[] {
  const [first = '', ...names] = args;
  if (!first.includes('/')) return first.split(',').map((name) => ({ type: typeOf(name), names }));
  return args.map((word) => {
    const slash = word.indexOf('/');
    if (slash < 0)
      throw new KubectlFailure(
        "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
      );
    return { type: typeOf(word.slice(0, slash)), names: [word.slice(slash + 1)] };
  });
}

export function typeOf(name: string): ResourceType {
  const type = findByName(name);
  if (type === undefined) throw new KubectlFailure(`error: the server doesn't have a resource type "${name}"`);
  return type;
}

export function namespaceOf(parsed: Parsed, cluster: Opened, type: ResourceType): string | undefined {
  return type.namespaced ? parsed.flags.text('namespace') || cluster.namespace : undefined;
}

/** `node`, `deployment.apps`: how kubectl names a type in front of an object's name. */
export function printedType(type: ResourceType): string {
  return `${type.singular}${type.group === '' ? '' : `.${type.group}`}`;
}

/** The type of an object from a file; a complaint of kubectl's when the server has no such kind. */
export function typeOfObject(object: KubeObject | null, path: string): ResourceType {
  const type = findKind(object?.apiVersion ?? '', object?.kind ?? '');
  if (type !== undefined) return type;
  if (object?.kind === undefined)
    throw new KubectlFailure(`error: error validating "${path}": error validating data: kind not set`);
  throw new KubectlFailure(
    `error: resource mapping not found for name: "${object.metadata?.name ?? ''}" namespace: "${object.metadata?.namespace ?? ''}" from "${path}": no matches for kind "${object.kind}" in version "${object.apiVersion}"\nensure CRDs are installed first`,
  );
}
