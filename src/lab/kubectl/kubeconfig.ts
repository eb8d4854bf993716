import { Document, parse } from 'yaml';
import { z } from 'zod';

const named = <T extends z.ZodType>(field: string, inner: T) =>
  z.array(z.looseObject({ name: z.string(), [field]: inner })).nullish();

const schema = z.looseObject({
  'current-context': z.string().default(''),
  clusters: named(
    'cluster',
    z.looseObject({
      server: z.string(),
      'certificate-authority-data': z.string().optional(),
      'insecure-skip-tls-verify': z.boolean().optional(),
    }),
  ),
  users: named(
    'user',
    z.looseObject({
      'client-certificate-data': z.string().optional(),
      'client-key-data': z.string().optional(),
      token: z.string().optional(),
    }),
  ),
  contexts: named(
    'context',
    z.looseObject({ cluster: z.string(), user: z.string(), namespace: z.string().optional() }),
  ),
});

export interface KubeContext {
  readonly server: string;
  readonly namespace: string;
  /** PEM in base64. */
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly token?: string;
}

interface Entry {
  readonly name: string;
  readonly [field: string]: unknown;
}

interface Kubeconfig {
  readonly currentContext: string;
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
  readonly contexts: readonly Entry[];
}

/** Reads a kubeconfig; a complaint when it is not one. */
function readKubeconfig(text: string): Kubeconfig | string {
  let raw: unknown;
  try {
    raw = parse(text);
  } catch (error) {
    return `error loading config file: ${error instanceof Error ? error.message.split('\n', 1)[0] : 'not YAML'}`;
  }
  const parsed = schema.safeParse(raw ?? {});
  if (!parsed.success) return `error loading config file: ${parsed.error.issues[0]!.message}`;
  const { clusters, users, contexts } = parsed.data;
  return {
    currentContext: parsed.data['current-context'],
    clusters: (clusters ?? []) as Entry[],
    users: (users ?? []) as Entry[],
    contexts: (contexts ?? []) as Entry[],
  };
}

/** The context that a kubectl command uses; a complaint when there is none. */
export function kubeContext(text: string, wanted: string): KubeContext | string {
  const config = readKubeconfig(text);
  if (typeof config === 'string') return config;
  const name = wanted === '' ? config.currentContext : wanted;
  const context = config.contexts.find((entry) => entry.name === name)?.context as
    | { cluster: string; user: string; namespace?: string }
    | undefined;
  if (context === undefined) return `error: context "${name}" does not exist`;
  const cluster = config.clusters.find((entry) => entry.name === context.cluster)?.cluster as
    | Record<string, string>
    | undefined;
  if (cluster === undefined) return `error: cluster "${context.cluster}" does not exist`;
  const user = (config.users.find((entry) => entry.name === context.user)?.user ?? {}) as Record<string, string>;
  return {
    server: cluster.server!,
    namespace: context.namespace ?? 'default',
    ...(cluster['certificate-authority-data'] !== undefined && {
      certificateAuthority: cluster['certificate-authority-data'],
    }),
    ...(user['client-certificate-data'] !== undefined && { clientCertificate: user['client-certificate-data'] }),
    ...(user['client-key-data'] !== undefined && { clientKey: user['client-key-data'] }),
    ...(user.token !== undefined && { token: user.token }),
  };
}

export interface MergeOptions {
  /** Entries of one name are replaced instead of renamed. */
  readonly overwrite: boolean;
  /** Name for the context that comes in; empty: its own. */
  readonly contextName: string;
}

/** Adds what `incoming` has; names that exist become `name-1` unless they may be overwritten. Its context becomes current. */
export function mergeKubeconfig(existing: string, incoming: string, options: MergeOptions): string {
  const into = readKubeconfig(existing);
  const from = readKubeconfig(incoming);
  if (typeof into === 'string' || typeof from === 'string') return incoming;
  const clusters = place(into.clusters, from.clusters, options.overwrite);
  const users = place(into.users, from.users, options.overwrite);
  const renamed = from.contexts.map((entry) => {
    const context = entry.context as { cluster: string; user: string };
    return {
      ...entry,
      name: options.contextName === '' ? entry.name : options.contextName,
      context: {
        ...context,
        cluster: clusters.names.get(context.cluster) ?? context.cluster,
        user: users.names.get(context.user) ?? context.user,
      },
    };
  });
  const contexts = place(into.contexts, renamed, options.overwrite);
  const current = options.contextName === '' ? from.currentContext : options.contextName;
  const merged = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: clusters.list,
    users: users.list,
    contexts: contexts.list,
    'current-context': contexts.names.get(current) ?? current,
  };
  return new Document(merged).toString({ lineWidth: 0 });
}

function place(
  existing: readonly Entry[],
  incoming: readonly Entry[],
  overwrite: boolean,
): { list: Entry[]; names: Map<string, string> } {
  const list = [...existing];
  const names = new Map<string, string>();
  for (const entry of incoming) {
    const same = list.findIndex((other) => other.name === entry.name);
    if (same >= 0 && overwrite) {
      list[same] = entry;
      names.set(entry.name, entry.name);
      continue;
    }
    let name = entry.name;
    for (let n = 1; list.some((other) => other.name === name); n++) name = `${entry.name}-${n}`;
    names.set(entry.name, name);
    list.push({ ...entry, name });
  }
  return { list, names };
}
