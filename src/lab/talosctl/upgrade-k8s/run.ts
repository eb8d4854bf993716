import { MachineService } from '../../../api/machine/services.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { clientFor, readClientConfig } from '../../../kube/client/kubeconfig.ts';
import { KubeError } from '../../../kube/objects/errors.ts';
import { hostPort } from '../../../platform/net.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { HttpError } from '../../../rpc/http/errors.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { TalosClient } from '../client.ts';
import { downloadKubeconfig } from '../commands/cluster.ts';
import { CommandFailure } from '../run.ts';
import type { UpgradePath } from './path.ts';

/** Of the Kubernetes API at an endpoint that is a host. */
export const API_PORT = 6443;

/** What the command line asks for. */
export interface UpgradeOptions {
  readonly dryRun: boolean;
  readonly prePull: boolean;
  readonly upgradeKubelet: boolean;
  /** Repositories by component: `kube-apiserver` → `registry.k8s.io/kube-apiserver`. */
  readonly images: Readonly<Record<Component, string>>;
  readonly withDocs: boolean;
  readonly withExamples: boolean;
}

export type StaticComponent = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';
export type Component = StaticComponent | 'kube-proxy' | 'kubelet';

/** Both APIs of a cluster that is upgraded, and where the progress is told. */
export class Cluster {
  readonly talos: TalosClient;
  readonly context: ToolContext;
  readonly #endpoint: string;
  #kubeconfig: string | undefined;

  /** `endpoint` stands for the one of the kubeconfig when it is not empty: a host without port. */
  constructor(talos: TalosClient, context: ToolContext, endpoint: string) {
    this.talos = talos;
    this.context = context;
    this.#endpoint = endpoint;
  }

  log(line: string): void {
    this.context.out(`${line}\n`);
  }

  /** Runs the body with a client of the Kubernetes API, whose connections are new. */
  *withKube<T>(body: (kube: KubeClient) => Task<T>): Task<T> {
    const kube = yield* explained('error building kubernetes client', this.#open());
    try {
      return yield* body(kube);
    } finally {
      kube.close();
    }
  }

  *#open(): Task<KubeClient> {
    this.#kubeconfig ??= yield* downloadKubeconfig(this.talos.stream(MachineService.Kubeconfig));
    const config = readClientConfig(this.#kubeconfig);
    if (config === undefined) throw new CommandFailure('invalid configuration: no configuration has been provided');
    const server =
      this.#endpoint === '' ? config.server : `https://${hostPort({ address: this.#endpoint, port: API_PORT })}`;
    return clientFor(this.context.platform, { ...config, server });
  }
}

/** An upgrade under way. */
export interface Upgrade {
  readonly cluster: Cluster;
  readonly options: UpgradeOptions;
  readonly path: UpgradePath;
  /** Addresses of Kubernetes nodes. */
  readonly controlPlanes: readonly string[];
  readonly workers: readonly string[];
}

/** The image that a component is brought to. */
export function imageOf({ options, path }: Upgrade, component: Component, suffix = ''): string {
  return `${options.images[component]}:v${path.to}${suffix}`;
}

/** What Go prints of an error of one of the APIs; undefined for anything else. */
export function apiErrorText(error: unknown): string | undefined {
  if (error instanceof RpcError) return error.describe();
  if (error instanceof CommandFailure || error instanceof HttpError || error instanceof KubeError) return error.message;
  return undefined;
}

/** Runs a task; what the APIs refuse fails the command with the prefix in front. */
export function* explained<T>(prefix: string, task: Task<T>): Task<T> {
  try {
    return yield* task;
  } catch (error) {
    const text = apiErrorText(error);
    if (text === undefined) throw error;
    throw new CommandFailure(`${prefix}: ${text}`);
  }
}
