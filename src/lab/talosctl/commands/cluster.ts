import { gunzipSync } from 'fflate';
import type { Data } from '../../../api/machine/common.ts';
import { ClusterService, MachineService } from '../../../api/machine/services.ts';
import { concatBytes, utf8Decode } from '../../../platform/bytes.ts';
import { type ClientStream, RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { Empty, secondsAndNanos } from '../../../rpc/well-known.ts';
import { type Command, maximumArgs, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import { mergeKubeconfig } from '../../kubectl/kubeconfig.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { eachMessage, onlyOneNode, withClient } from '../client.ts';
import { CommandFailure, NotSimulated, type Runner } from '../run.ts';

type Parsed = ParsedCommand<Runner>;

/** `talosctl health`: the checks run on the node, their lines are printed as they come (reference/lifecycle-api-cli.md D). */
export const healthCommand: Command<Runner> = {
  use: 'health',
  short: 'Check cluster health',
  args: noArgs,
  run: health,
  flags: [
    flag('wait-timeout', 'duration', 1_200_000_000, 'timeout to wait for the cluster to be ready'),
    flag('control-plane-nodes', 'strings', [], 'specify IPs of control plane nodes'),
    flag('worker-nodes', 'strings', [], 'specify IPs of worker nodes'),
    flag('init-node', 'string', '', 'specify IPs of init node'),
    flag('k8s-endpoint', 'string', '', 'use endpoint instead of kubeconfig default'),
    flag('server', 'bool', true, 'run server-side check'),
    flag('run-e2e', 'bool', false, 'run Kubernetes e2e test'),
  ],
};

function* health(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  if (!flags.on('server')) throw new NotSimulated('health --server=false is not simulated: the checks run on the node');
  if (flags.on('run-e2e')) throw new NotSimulated('health --run-e2e is not simulated: there are no test workloads');
  const initNode = flags.text('init-node');
  const request = {
    waitTimeout: secondsAndNanos(flags.number('wait-timeout')),
    clusterInfo: {
      controlPlaneNodes: [...(initNode === '' ? [] : [initNode]), ...flags.list('control-plane-nodes')],
      workerNodes: flags.list('worker-nodes'),
      forceEndpoint: flags.text('k8s-endpoint'),
    },
  };
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'health');
    const stream = client.stream(ClusterService.HealthCheck);
    stream.send(request);
    stream.closeSend();
    let failure = '';
    try {
      yield* eachMessage(stream, (progress) => {
        const error = progress.metadata?.error ?? '';
        if (error === '') context.err(`${progress.message}\n`);
        else failure = error;
      });
    } catch (error) {
      if (error instanceof RpcError) throw new CommandFailure(`healthcheck error: ${error.describe()}`);
      throw error;
    }
    if (failure !== '') throw new CommandFailure(`healthcheck error: ${failure}`);
    return 0;
  });
}

export const kubeconfigCommand: Command<Runner> = {
  use: 'kubeconfig [local-path]',
  short: 'Download the admin kubeconfig from the node',
  args: maximumArgs(1),
  run: kubeconfig,
  flags: [
    flag(
      'force',
      'bool',
      false,
      'Force overwrite of kubeconfig if already present, force overwrite on kubeconfig merge',
      { short: 'f' },
    ),
    flag('force-context-name', 'string', '', 'Force context name for kubeconfig merge'),
    flag('merge', 'bool', true, 'Merge with existing kubeconfig', { short: 'm' }),
  ],
};

function* kubeconfig(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'kubeconfig');
    const text = yield* downloadKubeconfig(client.stream(MachineService.Kubeconfig));
    store(parsed, context, text);
    return 0;
  });
}

/** Reads the kubeconfig that a stream sends as the only file of a compressed archive. */
export function* downloadKubeconfig(stream: ClientStream<Empty, Data>): Task<string> {
  stream.send(Empty.empty);
  stream.closeSend();
  const parts: Uint8Array[] = [];
  let failure = '';
  try {
    yield* eachMessage(stream, (data) => {
      failure ||= data.metadata?.error ?? '';
      parts.push(data.bytes);
    });
  } catch (error) {
    if (error instanceof RpcError) throw new CommandFailure(`error copying: ${error.describe()}`);
    throw error;
  }
  if (failure !== '') throw new CommandFailure(`error copying: ${failure}`);
  const text = firstFileOfTar(gunzipSync(concatBytes(parts)));
  if (text === undefined) throw new CommandFailure('error extracting: kubeconfig not found in archive');
  return text;
}

const TAR_BLOCK_BYTES = 512;

function firstFileOfTar(archive: Uint8Array): string | undefined {
  if (archive.length < TAR_BLOCK_BYTES) return undefined;
  const sizeBytes = Number.parseInt(utf8Decode(archive, 124, 135).trim(), 8);
  return Number.isNaN(sizeBytes) ? undefined : utf8Decode(archive, TAR_BLOCK_BYTES, TAR_BLOCK_BYTES + sizeBytes);
}

function store(parsed: Parsed, context: ToolContext, text: string): void {
  const { flags } = parsed;
  const [given] = parsed.args;
  const merge = flags.on('merge');
  if (given === '-' && !merge) {
    context.out(text);
    return;
  }
  const byDefault = context.env.get('KUBECONFIG') ?? `${context.env.get('HOME') ?? ''}/.kube/config`;
  const named = given === '.' || given?.endsWith('/') === true ? `${given.replace(/\/?$/, '/')}kubeconfig` : given;
  const path = named ?? (merge ? byDefault : 'kubeconfig');
  const existing = context.files.readText(path);
  if (existing === undefined) {
    context.files.write(path, text);
    return;
  }
  if (!merge) {
    if (!flags.on('force'))
      throw new CommandFailure(`kubeconfig file already exists, use --force to overwrite: "${path}"`);
    context.files.write(path, text);
    return;
  }
  context.files.write(
    path,
    mergeKubeconfig(existing, text, { overwrite: flags.on('force'), contextName: flags.text('force-context-name') }),
  );
}
