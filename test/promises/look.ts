import { parse, parseAllDocuments } from 'yaml';
import type { Cluster } from './cluster.ts';

export const CP_1 = '10.0.0.10';
export const CP_2 = '10.0.0.11';
export const CP_3 = '10.0.0.12';
export const WORKER_1 = '10.0.0.21';
export const WORKER_2 = '10.0.0.22';
export const CONTROL_PLANES: readonly string[] = [CP_1, CP_2, CP_3];

export interface ShownResource {
  readonly metadata: { readonly version: number; readonly owner: string; readonly created: string };
  readonly spec: unknown;
}

/** What lies at a path in something that a tool printed as YAML or JSON, taken for a `T`; undefined when nothing does. */
export function pick<T = unknown>(printed: unknown, ...path: readonly (string | number)[]): T {
  let found: unknown = printed;
  for (const key of path) found = (found as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  return found as T;
}

/** What `talosctl get TYPE [ID] -o yaml` prints of one machine. */
export function resources(cluster: Cluster, node: string, typeAndId: string): readonly ShownResource[] {
  return parseAllDocuments(cluster.ok(`talosctl -n ${node} get ${typeAndId} -o yaml`)).map(
    (document) => document.toJS() as ShownResource,
  );
}

/** The one resource that {@link resources} finds. */
export function resource(cluster: Cluster, node: string, typeAndId: string): ShownResource {
  const found = resources(cluster, node, typeAndId);
  if (found.length !== 1) throw new Error(`${typeAndId} on ${node}: ${found.length} resources instead of one`);
  return found[0]!;
}

/** The cells of the table of `talosctl get TYPE`, row by row; the first row is its head. */
export function table(cluster: Cluster, node: string, type: string): readonly (readonly string[])[] {
  const rows = cluster.ok(`talosctl -n ${node} get ${type}`).trimEnd().split('\n');
  return rows.map((row) => row.trim().split(/ {2,}/));
}

/** Ids in the table of `talosctl get TYPE`. */
export function ids(cluster: Cluster, node: string, type: string): readonly string[] {
  return table(cluster, node, type)
    .slice(1)
    .map((row) => row[3]!);
}

/** What `kubectl get … -o json` prints. */
export function kube(cluster: Cluster, what: string): unknown {
  return JSON.parse(cluster.ok(`kubectl get ${what} -o json`));
}

/** The object of an etcd key as it was first written. */
export function firstWritten(cluster: Cluster, key: string): unknown {
  const [found] = pick<{ readonly create_revision: number }[]>(
    JSON.parse(cluster.ok(`etcdctl get ${key} -w json`)),
    'kvs',
  );
  return parse(cluster.ok(`etcdctl get ${key} --print-value-only --rev ${found!.create_revision}`));
}

/** A YAML file of a machine, as `talosctl read` prints it. */
export function yamlFile(cluster: Cluster, node: string, path: string): unknown {
  return parse(cluster.ok(`talosctl -n ${node} read ${path}`));
}

/** `--name=value` arguments by name; the program and bare words are left out. */
export function flagsOf(command: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    command.flatMap((word) => {
      const match = /^--([^=]+)=(.*)$/.exec(word);
      return match === null ? [] : [[match[1]!, match[2]!]];
    }),
  );
}

/** Lines of a service's log that are JSON objects. */
export function logObjects(
  cluster: Cluster,
  node: string,
  service: string,
): readonly Readonly<Record<string, unknown>>[] {
  return cluster
    .ok(`talosctl -n ${node} logs ${service}`)
    .split('\n')
    .map((line) => line.slice(line.indexOf(': ') + 2))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

/** Flags of every start of etcd that the log of this boot has, oldest first. */
export function etcdStarts(cluster: Cluster, node: string): readonly Readonly<Record<string, string>>[] {
  return logObjects(cluster, node, 'etcd')
    .filter((line) => line.msg === 'Running: ')
    .map((line) => flagsOf(line.args as readonly string[]));
}

/** Lines of the kernel log without their time stamps. */
export function dmesg(cluster: Cluster, node: string): readonly string[] {
  return cluster
    .ok(`talosctl -n ${node} dmesg`)
    .split('\n')
    .map((line) => line.replace(/^.*?\]: /, ''));
}

/** An arrow of the graph that `talosctl inspect dependencies` prints. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Id of the one resource it is about; empty for all of the type. */
  readonly id: string;
  /** bold: only writer, solid: one of several writers or a strong reader, dotted: reader. */
  readonly style: string;
}

export function edgesOf(graph: string): readonly Edge[] {
  const names = new Map([...graph.matchAll(/^\t(n\d+)\[.*label="([^"]+)"/gm)].map(([, id, label]) => [id!, label!]));
  return [...graph.matchAll(/^\t(n\d+)->(n\d+)\[(?:label="([^"]*)",)?style="(\w+)"\]/gm)].map(
    ([, from, to, id = '', style]) => ({ from: names.get(from!)!, to: names.get(to!)!, id, style: style! }),
  );
}
