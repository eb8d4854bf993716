import type { KubeObject } from '../objects/object.ts';

/** The part of a Pod that the kubelet acts on; quantities, security contexts and scheduling hints change nothing here. */
export interface PodSpec {
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly ContainerEntry[];
  readonly initContainers?: readonly ContainerEntry[];
  readonly volumes?: readonly PodVolume[];
}

export interface ContainerEntry {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvEntry[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly startupProbe?: ProbeSpec;
  readonly livenessProbe?: ProbeSpec;
  readonly readinessProbe?: ProbeSpec;
}

export interface EnvEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

export interface ProbeSpec {
  readonly httpGet?: {
    readonly path?: string;
    readonly port: number | string;
    readonly host?: string;
    readonly scheme?: string;
  };
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string };
  /** Refused by name, as is `grpc`. */
  readonly exec?: object;
  readonly grpc?: object;
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

export interface KeyToPath {
  readonly key: string;
  readonly path: string;
}

export interface PodVolume {
  readonly name: string;
  readonly hostPath?: { readonly path: string };
  readonly configMap?: { readonly name: string; readonly optional?: boolean; readonly items?: readonly KeyToPath[] };
  readonly secret?: { readonly secretName: string; readonly optional?: boolean; readonly items?: readonly KeyToPath[] };
  readonly emptyDir?: object;
}

export function podSpecOf(pod: KubeObject): PodSpec {
  return pod.spec as unknown as PodSpec;
}

/** Facts about a pod that its environment may refer to. */
export interface PodFacts {
  readonly pod: KubeObject;
  readonly nodeName: string;
  readonly hostAddress: string;
  readonly podAddress: string;
}

/** Environment of a container: HOSTNAME, then its own entries; later values may use earlier ones as `$(NAME)`. */
export function environmentOf(entry: ContainerEntry, facts: PodFacts): Record<string, string> {
  const { pod } = facts;
  const { name, namespace = '', uid = '' } = pod.metadata;
  const fields: Readonly<Record<string, string>> = {
    'status.podIP': facts.podAddress,
    'status.podIPs': facts.podAddress,
    'status.hostIP': facts.hostAddress,
    'spec.nodeName': facts.nodeName,
    'metadata.name': name,
    'metadata.namespace': namespace,
    'metadata.uid': uid,
  };
  const env: Record<string, string> = { HOSTNAME: podSpecOf(pod).hostNetwork === true ? facts.nodeName : name };
  for (const { name: variable, value, valueFrom } of entry.env ?? []) {
    env[variable] = value === undefined ? (fields[valueFrom?.fieldRef?.fieldPath ?? ''] ?? '') : expanded(value, env);
  }
  return env;
}

/** `$(NAME)` becomes the variable's value, `$$` one dollar sign; unknown names stay as they are. */
export function expanded(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? whole),
  );
}

/** The complete command line. An image's own entry point is not known here: its container's name stands for it. */
export function commandLine(entry: ContainerEntry, env: Readonly<Record<string, string>>): string[] {
  const command = entry.command ?? [entry.name];
  return [...command, ...(entry.args ?? [])].map((word) => expanded(word, env));
}

/** A port by number, or by the name a container gave it. */
export function portOf(entry: ContainerEntry, port: number | string): number | undefined {
  if (typeof port === 'number') return port;
  return /^\d+$/.test(port) ? Number(port) : entry.ports?.find((known) => known.name === port)?.containerPort;
}
