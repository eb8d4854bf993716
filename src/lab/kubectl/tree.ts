import { KubeError } from '../../kube/objects/errors.ts';
import type { Task } from '../../platform/task.ts';
import { type Command, exactArgs, minimumArgs, noArgs } from '../cobra/command.ts';
import { type FlagSpec, flag } from '../cobra/flags.ts';
import type { ToolContext } from '../tools/tool.ts';
import { apply, create, createNamespace, remove } from './change.ts';
import { get } from './get.ts';
import { cordon, drain, label, taint } from './nodes.ts';
import type { KubectlRunner, Opened, Parsed } from './session.ts';

const SELECTOR = flag('selector', 'string', '', 'Selector (label query) to filter on', { short: 'l' });
const OVERWRITE = flag('overwrite', 'bool', false, 'If true, allow existing values to be overwritten');

function filename(usage: string, required: boolean): FlagSpec {
  return flag('filename', 'string', '', usage, { short: 'f', required });
}

/** The kubectl that is simulated; {@link UNSUPPORTED} is refused by name. */
export const kubectlTree: Command<KubectlRunner> = {
  use: 'kubectl',
  short: 'kubectl controls the Kubernetes cluster manager.',
  persistentFlags: [
    flag('kubeconfig', 'string', '', 'Path to the kubeconfig file to use for CLI requests.'),
    flag('context', 'string', '', 'The name of the kubeconfig context to use'),
    flag('namespace', 'string', '', 'If present, the namespace scope for this CLI request', { short: 'n' }),
    flag('request-timeout', 'string', '0', 'The length of time to wait before giving up on a single server request.'),
    flag('server', 'string', '', 'The address and port of the Kubernetes API server', { short: 's' }),
  ],
  commands: [
    {
      use: 'get TYPE [NAME...]',
      short: 'Display one or many resources',
      args: (args) => (args.length > 0 ? undefined : 'Required resource not specified.'),
      run: get,
      flags: [
        flag('output', 'string', '', 'Output format: json, yaml, name, wide or jsonpath=…', { short: 'o' }),
        SELECTOR,
        flag('field-selector', 'string', '', 'Selector (field query) to filter on'),
        flag('all-namespaces', 'bool', false, 'If present, list the requested object(s) across all namespaces', {
          short: 'A',
        }),
        flag('no-headers', 'bool', false, "When using the default or custom-column output format, don't print headers"),
        flag('show-labels', 'bool', false, 'When printing, show all labels as the last column'),
      ],
    },
    {
      use: 'delete ([-f FILENAME] | TYPE [NAME...])',
      short: 'Delete resources by file names, resources and names, or by resources and label selector',
      args: () => undefined,
      run: remove,
      flags: [
        filename('Containing the resource to delete.', false),
        SELECTOR,
        flag('all', 'bool', false, 'Delete all resources, in the namespace of the specified resource types.'),
        flag('force', 'bool', false, 'If true, immediately remove resources from API and bypass graceful deletion.'),
        flag('grace-period', 'int', -1, 'Period of time in seconds given to the resource to terminate gracefully.'),
        flag('wait', 'bool', true, 'If true, wait for resources to be gone before returning.'),
      ],
    },
    {
      use: 'apply -f FILENAME',
      short: 'Apply a configuration to a resource by file name',
      args: noArgs,
      run: apply,
      flags: [filename('The file that contains the configuration to apply.', true)],
    },
    {
      use: 'create -f FILENAME',
      short: 'Create a resource from a file',
      args: noArgs,
      run: create,
      flags: [filename('File to use to create the resource', true)],
      commands: [
        {
          use: 'namespace NAME',
          aliases: ['ns'],
          short: 'Create a namespace with the specified name',
          args: exactArgs(1),
          run: createNamespace,
        },
      ],
    },
    { use: 'cordon NODE', short: 'Mark node as unschedulable', args: minimumArgs(1), run: cordon(true) },
    { use: 'uncordon NODE', short: 'Mark node as schedulable', args: minimumArgs(1), run: cordon(false) },
    {
      use: 'drain NODE',
      short: 'Drain node in preparation for maintenance',
      args: exactArgs(1),
      run: drain,
      flags: [
        flag('ignore-daemonsets', 'bool', false, 'Ignore DaemonSet-managed pods.'),
        flag('delete-emptydir-data', 'bool', false, 'Continue even if there are pods using emptyDir.'),
        flag('force', 'bool', false, 'Continue even if there are pods that do not declare a controller.'),
        flag('timeout', 'duration', 0, 'The length of time to wait before giving up, zero means infinite'),
      ],
    },
    {
      use: 'label (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N',
      short: 'Update the labels on a resource',
      args: minimumArgs(2),
      run: label,
      flags: [OVERWRITE],
    },
    {
      use: 'taint NODE NAME KEY_1=VAL_1:TAINT_EFFECT_1 ... KEY_N=VAL_N:TAINT_EFFECT_N',
      short: 'Update the taints on one or more nodes',
      args: minimumArgs(2),
      run: taint,
      flags: [OVERWRITE],
    },
    {
      use: 'version',
      short: 'Print the client and server version information',
      args: noArgs,
      run: version,
      flags: [flag('client', 'bool', false, 'If true, shows client version only (no server required).')],
    },
    { use: 'cluster-info', short: 'Display cluster information', args: noArgs, run: clusterInfo },
  ],
};

/** Commands of the real kubectl that are refused, with the reason. */
export const UNSUPPORTED: Readonly<Record<string, string>> = Object.freeze({
  annotate: 'use kubectl apply',
  attach: 'containers have no terminals',
  autoscale: 'there is no autoscaler',
  cp: 'containers have no shells',
  debug: 'containers have no shells',
  describe: 'use kubectl get -o yaml',
  diff: 'use kubectl get -o yaml',
  edit: 'use kubectl apply',
  exec: 'containers have no shells',
  expose: 'services carry no traffic',
  logs: 'use talosctl logs -k',
  patch: 'use kubectl apply',
  'port-forward': 'services carry no traffic',
  proxy: 'use kubectl get --server',
  replace: 'use kubectl apply',
  rollout: 'use kubectl get',
  run: 'use kubectl apply',
  scale: 'use kubectl apply',
  top: 'there is no metrics server',
  wait: 'use an await step of the scenario',
});

function* version(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  context.out('Client Version: v1.34.1\nKustomize Version: v5.7.1\n');
  if (parsed.flags.on('client')) return 0;
  const info = (yield* cluster.client.raw('/version')) as { gitVersion: string };
  context.out(`Server Version: ${info.gitVersion}\n`);
  return 0;
}

function* clusterInfo(_parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const answer = yield* cluster.client.raw('/readyz');
  if (answer !== 'ok') throw new KubeError('InternalError', 'the API server is not ready');
  context.out(
    `Kubernetes control plane is running at https://${cluster.server}\n\nTo further debug and diagnose cluster problems, use 'kubectl cluster-info dump'.\n`,
  );
  return 0;
}
