import { runGenConfig } from '../../../config/generate/cli/gen-config.ts';
import { runGenSecrets } from '../../../config/generate/cli/gen-secrets.ts';
import { runMachineConfigGen, runMachineConfigPatch } from '../../../config/generate/cli/machineconfig.ts';
import { TOOL_V1_11_3 } from '../../../config/generate/tool-release.ts';
import type { Task } from '../../../platform/task.ts';
import { type Command, exactArgs, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { Runner } from '../run.ts';
import { conclude, workstationOf } from '../workstation.ts';

type Parsed = ParsedCommand<Runner>;

/** `talosctl gen …` (reference/lifecycle-api-cli.md F.2, F.4). */
export const genCommand: Command<Runner> = {
  use: 'gen',
  short: 'Generate CAs, certificates, and private keys',
  persistentFlags: [flag('force', 'bool', false, 'will overwrite existing files', { short: 'f' })],
  commands: [
    {
      use: 'config <cluster name> <cluster endpoint>',
      short: 'Generates a set of configuration files for Talos cluster',
      args: exactArgs(2),
      run: genConfig,
      flags: [
        flag('install-disk', 'string', '/dev/sda', 'the disk to install to'),
        flag('install-image', 'string', TOOL_V1_11_3.installImage, 'the image used to perform an installation'),
        flag('additional-sans', 'strings', [], 'additional Subject-Alt-Names for the APIServer certificate'),
        flag('dns-domain', 'string', 'cluster.local', 'the dns domain to use for cluster'),
        flag('version', 'string', 'v1alpha1', 'the desired machine config version to generate'),
        flag(
          'talos-version',
          'string',
          '',
          'the desired Talos version to generate config for (backwards compatibility, e.g. v0.8)',
        ),
        flag('kubernetes-version', 'string', TOOL_V1_11_3.kubernetesVersion, 'desired kubernetes version to run'),
        flag(
          'config-patch',
          'stringArray',
          [],
          'patch generated machineconfigs (applied to all node types), use @file to read a patch from file',
        ),
        flag(
          'config-patch-control-plane',
          'stringArray',
          [],
          "patch generated machineconfigs (applied to 'init' and 'controlplane' types)",
        ),
        flag('config-patch-worker', 'stringArray', [], "patch generated machineconfigs (applied to 'worker' type)"),
        flag(
          'registry-mirror',
          'strings',
          [],
          'list of registry mirrors to use in format: <registry host>=<mirror URL>',
        ),
        flag('persist', 'bool', true, 'the desired persist value for configs', { short: 'p' }),
        flag('with-examples', 'bool', true, 'renders all machine configs with the commented examples'),
        flag('with-docs', 'bool', true, 'renders all machine configs adding the documentation for each field'),
        flag('with-cluster-discovery', 'bool', true, 'enable cluster discovery feature'),
        flag('with-kubespan', 'bool', false, 'enable KubeSpan feature'),
        flag('with-secrets', 'string', '', "use a secrets file generated using 'gen secrets'"),
        flag('output-types', 'strings', ['controlplane', 'worker', 'talosconfig'], 'types of outputs to be generated', {
          short: 't',
        }),
        flag(
          'output',
          'string',
          '',
          'destination to output generated files. when multiple output types are specified, it must be a directory',
          { short: 'o' },
        ),
        flag('output-dir', 'string', '', 'destination to output generated files', { hidden: true }),
      ],
    },
    {
      use: 'secrets',
      short: 'Generates a secrets bundle file which can later be used to generate a config',
      args: noArgs,
      run: genSecrets,
      flags: [
        flag('output-file', 'string', 'secrets.yaml', 'path of the output file', { short: 'o' }),
        flag(
          'talos-version',
          'string',
          '',
          'the desired Talos version to generate secrets bundle for (backwards compatibility, e.g. v0.8)',
        ),
        flag(
          'from-controlplane-config',
          'string',
          '',
          'use the provided controlplane Talos machine configuration as input',
        ),
        flag(
          'from-kubernetes-pki',
          'string',
          '',
          'use a Kubernetes PKI directory (e.g. /etc/kubernetes/pki) as input',
          { short: 'p' },
        ),
        flag('kubernetes-bootstrap-token', 'string', '', 'use the provided bootstrap token as input', { short: 't' }),
      ],
    },
  ],
};

function* genConfig(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags, args } = parsed;
  const outcome = runGenConfig(
    {
      clusterName: args[0]!,
      endpoint: args[1]!,
      installDisk: flags.text('install-disk'),
      installImage: flags.text('install-image'),
      additionalSans: flags.list('additional-sans'),
      dnsDomain: flags.text('dns-domain'),
      configVersion: flags.text('version'),
      talosVersion: flags.text('talos-version'),
      kubernetesVersion: flags.text('kubernetes-version'),
      configPatch: flags.list('config-patch'),
      configPatchControlPlane: flags.list('config-patch-control-plane'),
      configPatchWorker: flags.list('config-patch-worker'),
      registryMirrors: flags.list('registry-mirror'),
      withExamples: flags.on('with-examples'),
      withDocs: flags.on('with-docs'),
      withClusterDiscovery: flags.on('with-cluster-discovery'),
      withKubeSpan: flags.on('with-kubespan'),
      withSecrets: flags.text('with-secrets'),
      persist: flags.on('persist'),
      outputTypes: flags.list('output-types'),
      output: flags.text('output'),
      outputDir: flags.text('output-dir'),
      force: flags.on('force'),
    },
    workstationOf(context),
  );
  return conclude(outcome, context);
}

function* genSecrets(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const outcome = runGenSecrets(
    {
      outputFile: flags.text('output-file'),
      talosVersion: flags.text('talos-version'),
      fromControlplaneConfig: flags.text('from-controlplane-config'),
      fromKubernetesPki: flags.text('from-kubernetes-pki'),
      kubernetesBootstrapToken: flags.text('kubernetes-bootstrap-token'),
      force: flags.on('force'),
    },
    workstationOf(context),
  );
  return conclude(outcome, context);
}

/** `talosctl machineconfig …`. */
export const machineConfigCommand: Command<Runner> = {
  use: 'machineconfig',
  aliases: ['mc'],
  short: 'Machine config related commands',
  commands: [
    {
      use: 'patch <machineconfig-file>',
      short: 'Patch a machine config',
      args: exactArgs(1),
      run: machineConfigPatch,
      flags: [
        flag(
          'patch',
          'stringArray',
          [],
          'patch generated machineconfigs (applied to all node types), use @file to read a patch from file',
          { short: 'p' },
        ),
        flag('output', 'string', '', 'output destination. if not specified, output will be printed to stdout', {
          short: 'o',
        }),
      ],
    },
    {
      use: 'gen <cluster name> <cluster endpoint>',
      short: 'Generates a set of configuration files for Talos cluster',
      args: exactArgs(2),
      run: machineConfigGen,
    },
  ],
};

function* machineConfigPatch(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags, args } = parsed;
  const options = { file: args[0]!, patches: flags.list('patch'), output: flags.text('output') };
  return conclude(runMachineConfigPatch(options, workstationOf(context)), context);
}

function* machineConfigGen(parsed: Parsed, context: ToolContext): Task<number> {
  return conclude(runMachineConfigGen(parsed.args[0]!, parsed.args[1]!, workstationOf(context)), context);
}
