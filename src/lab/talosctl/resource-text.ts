import { parse } from 'yaml';
import type { Resource, ResourceDefinition } from '../../api/cosi/state.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import { microseconds } from '../../rpc/well-known.ts';
import { evaluateJsonPath } from '../cobra/jsonpath.ts';

/** A resource of a node, and what happened to it where it is watched. */
export interface Shown {
  readonly node: string;
  readonly resource: Resource;
  readonly event?: 'created' | 'updated' | 'destroyed';
}

/** First line of a table; `extra` columns stand behind the node (reference/lifecycle-api-cli.md F.3). */
export function header(definition: ResourceDefinition, extra: readonly string[]): string[] {
  const own = definition.printColumns.map((column) => column.name.toUpperCase());
  return ['NODE', ...extra, 'NAMESPACE', 'TYPE', 'ID', 'VERSION', ...own];
}

/** A line of a table: the columns of a type are JSON paths into its spec. */
export function row(
  definition: ResourceDefinition,
  { node, resource }: Shown,
  extra: readonly string[] = [],
): string[] {
  const metadata = resource.metadata!;
  const spec: unknown = specOf(resource);
  const cells = definition.printColumns.map((column) => evaluateJsonPath(column.jsonPath, spec));
  return [node, ...extra, metadata.namespace, definition.displayType, metadata.id, metadata.version, ...cells];
}

/** A resource as `-o json` or `-o jsonpath=…` prints it. */
export function objectText(output: string, shown: Shown): string {
  const object = jsonObject(shown);
  const text =
    output === 'json'
      ? JSON.stringify(object, undefined, 4)
      : evaluateJsonPath(output.slice('jsonpath='.length), object);
  return `${text}\n`;
}

/** The spec as data. */
export function specOf(resource: Resource): unknown {
  return resource.spec!.yamlSpec === '' ? {} : parse(resource.spec!.yamlSpec);
}

type Stamp = { readonly seconds: number; readonly nanos: number } | null;

function stamp(time: Stamp): string {
  return time === null ? '' : rfc3339(microseconds(time));
}

/** One document of `-o yaml`. */
export function yamlText({ node, resource, event }: Shown): string {
  const metadata = resource.metadata!;
  const lines = [
    `node: ${node}`,
    ...(event === undefined ? [] : [`event: ${event}`]),
    'metadata:',
    `    namespace: ${metadata.namespace}`,
    `    type: ${metadata.type}`,
    `    id: ${metadata.id}`,
    `    version: ${metadata.version}`,
    `    owner:${metadata.owner === '' ? '' : ` ${metadata.owner}`}`,
    `    phase: ${metadata.phase}`,
    `    created: ${stamp(metadata.created)}`,
    `    updated: ${stamp(metadata.updated)}`,
  ];
  if (Object.keys(metadata.labels).length > 0)
    lines.push('    labels:', ...Object.keys(metadata.labels).map((key) => `        ${key}: ${metadata.labels[key]}`));
  if (metadata.finalizers.length > 0)
    lines.push('    finalizers:', ...metadata.finalizers.map((name) => `        - ${name}`));
  const spec = resource.spec!.yamlSpec.trimEnd();
  if (spec === '' || spec === '{}') lines.push('spec: {}');
  else if (spec.startsWith('|\n')) lines.push(`spec: ${spec}`);
  else lines.push('spec:', ...spec.split('\n').map((line) => `    ${line}`));
  return `${lines.join('\n')}\n`;
}

function jsonObject({ node, resource, event }: Shown): object {
  const metadata = resource.metadata!;
  return {
    metadata: {
      created: stamp(metadata.created),
      ...(metadata.finalizers.length > 0 && { finalizers: metadata.finalizers }),
      id: metadata.id,
      ...(Object.keys(metadata.labels).length > 0 && { labels: metadata.labels }),
      namespace: metadata.namespace,
      owner: metadata.owner,
      phase: metadata.phase,
      type: metadata.type,
      updated: stamp(metadata.updated),
      version: Number(metadata.version),
    },
    node,
    ...(event !== undefined && { event }),
    spec: specOf(resource),
  };
}
