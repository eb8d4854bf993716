import {
  type ApplyConfigurationRequest,
  ApplyMode,
  type BootstrapRequest,
  RebootMode,
  WipeMode,
} from '../../../api/machine/lifecycle.ts';
import { MachineService } from '../../../api/machine/services.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { Empty, secondsAndNanos } from '../../../rpc/well-known.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { type FlagSpec, flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { onlyOneNode, type TalosClient, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { patchedConfig } from './patches.ts';
import { recoverFrom } from './recover.ts';

type Parsed = ParsedCommand<Runner>;

export const INSECURE = flag(
  'insecure',
  'bool',
  false,
  'use the insecure (encrypted with no auth) maintenance service',
  { short: 'i' },
);
const FINGERPRINTS = flag(
  'cert-fingerprint',
  'strings',
  [],
  'list of server certificate fingeprints to accept (defaults to no check)',
);

const MODES: Readonly<Record<string, number>> = {
  auto: ApplyMode.Auto,
  'no-reboot': ApplyMode.NoReboot,
  reboot: ApplyMode.Reboot,
  staged: ApplyMode.Staged,
  try: ApplyMode.Try,
};

/** `talosctl apply-config` (reference/v1.11.3.md 15.3, 15.5; lifecycle-api-cli.md F.3). */
export const applyConfigCommand: Command<Runner> = {
  use: 'apply-config',
  aliases: ['apply'],
  short: 'Apply a new configuration to a node',
  args: noArgs,
  run: applyConfig,
  flags: [
    flag('file', 'string', '', 'the filename of the updated configuration', { short: 'f' }),
    flag(
      'config-patch',
      'stringArray',
      [],
      'the list of config patches to apply to the local config file before sending it to the node',
      { short: 'p' },
    ),
    flag('mode', 'string', 'auto', 'apply config mode', { short: 'm' }),
    flag('dry-run', 'bool', false, 'check how the config change will be applied in dry-run mode'),
    flag(
      'timeout',
      'duration',
      60_000_000,
      'the config will be rolled back after specified timeout (if try mode is selected)',
    ),
    INSECURE,
    FINGERPRINTS,
  ],
};

function* applyConfig(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const mode = MODES[flags.text('mode')];
  if (mode === undefined)
    throw new CommandFailure(
      `invalid argument "${flags.text('mode')}" for "-m, --mode" flag: possible options are: ${Object.keys(MODES).join(', ')}`,
    );
  const file = flags.text('file');
  if (file === '') throw new CommandFailure('no filename supplied for configuration');
  const text = context.files.readText(file);
  if (text === undefined)
    throw new CommandFailure(`failed to read configuration from "${file}": open ${file}: no such file or directory`);
  const config = patchedConfig(text, flags.list('config-patch'), context);
  const request: ApplyConfigurationRequest = {
    data: utf8Encode(config),
    mode,
    dryRun: flags.on('dry-run'),
    tryModeTimeout: secondsAndNanos(flags.number('timeout')),
  };
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error applying new configuration', MachineService.ApplyConfiguration, request);
    for (const { message } of answers) {
      for (const warning of message.warnings) context.err(`WARNING: ${warning}\n`);
      if (message.modeDetails !== '') context.err(`${message.modeDetails}\n`);
    }
    return 0;
  });
}

/** `talosctl bootstrap`: once, on one control plane. */
export const bootstrapCommand: Command<Runner> = {
  use: 'bootstrap',
  short: 'Bootstrap the etcd cluster on the specified node.',
  args: noArgs,
  run: bootstrap,
  flags: [
    flag('recover-from', 'string', '', 'recover etcd cluster from the snapshot'),
    flag(
      'recover-skip-hash-check',
      'bool',
      false,
      'skip integrity check when recovering etcd (use when recovering from data directory copy)',
    ),
  ],
};

function* bootstrap(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'bootstrap');
    const snapshot = parsed.flags.text('recover-from');
    const recovering = snapshot !== '';
    if (recovering) yield* recoverFrom(client, context, snapshot);
    const request: BootstrapRequest = {
      recoverEtcd: recovering,
      recoverSkipHashCheck: parsed.flags.on('recover-skip-hash-check'),
    };
    yield* client.unary('error executing bootstrap', MachineService.Bootstrap, request);
    return 0;
  });
}

const WAIT: readonly FlagSpec[] = [
  flag(
    'wait',
    'bool',
    true,
    'wait for the operation to complete, tracking its progress. always set to true when --debug is set',
  ),
  flag('timeout', 'duration', 1_800_000_000, 'time to wait for the operation is complete if --debug or --wait is set'),
  flag('debug', 'bool', false, 'debug operation from kernel logs. --wait is set to true when this flag is set'),
];

export const rebootCommand: Command<Runner> = {
  use: 'reboot',
  short: 'Reboot a node',
  args: noArgs,
  run: reboot,
  flags: [
    flag('mode', 'string', 'default', 'select the reboot mode: "default", "powercycle" (skips kexec)', { short: 'm' }),
    ...WAIT,
  ],
};

function* reboot(parsed: Parsed, context: ToolContext): Task<number> {
  const mode = { default: RebootMode.Default, powercycle: RebootMode.PowerCycle }[parsed.flags.text('mode')];
  if (mode === undefined) throw new CommandFailure(`invalid reboot mode: ${parsed.flags.text('mode')}`);
  return yield* act(parsed, context, 'reboot', (client) =>
    client.unary('error executing reboot', MachineService.Reboot, { mode }),
  );
}

export const shutdownCommand: Command<Runner> = {
  use: 'shutdown',
  short: 'Shutdown a node',
  args: noArgs,
  run: shutdown,
  flags: [flag('force', 'bool', false, 'if true, force a node to shutdown without a cordon/drain'), ...WAIT],
};

function* shutdown(parsed: Parsed, context: ToolContext): Task<number> {
  const force = parsed.flags.on('force');
  return yield* act(parsed, context, 'shutdown', (client) =>
    client.unary('error executing shutdown', MachineService.Shutdown, { force }),
  );
}

export const resetCommand: Command<Runner> = {
  use: 'reset',
  short: 'Reset a node',
  args: noArgs,
  run: reset,
  flags: [
    flag('graceful', 'bool', true, 'if true, attempt to cordon/drain node and leave etcd (if applicable)'),
    flag('reboot', 'bool', false, 'if true, reboot the node after resetting instead of shutting down'),
    flag('wipe-mode', 'string', 'all', 'disk reset mode'),
    flag(
      'system-labels-to-wipe',
      'strings',
      [],
      'if set, just wipe selected system disk partitions by label but keep other partitions intact',
    ),
    flag('user-disks-to-wipe', 'strings', [], 'if set, wipes defined devices in the list'),
    INSECURE,
    ...WAIT,
  ],
};

const WIPE_MODES: Readonly<Record<string, number>> = {
  all: WipeMode.All,
  'system-disk': WipeMode.SystemDisk,
  'user-disks': WipeMode.UserDisks,
};

function* reset(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const mode = WIPE_MODES[flags.text('wipe-mode')];
  if (mode === undefined)
    throw new CommandFailure(
      `invalid argument "${flags.text('wipe-mode')}" for "--wipe-mode" flag: possible options are: all, system-disk, user-disks`,
    );
  if (flags.on('insecure') && flags.changed('wait') && flags.on('wait'))
    throw new CommandFailure('cannot use --wait and --insecure together');
  const request = {
    graceful: flags.on('graceful'),
    reboot: flags.on('reboot'),
    systemPartitionsToWipe: flags.list('system-labels-to-wipe').map((label) => ({ label, wipe: true })),
    userDisksToWipe: flags.list('user-disks-to-wipe'),
    mode,
  };
  return yield* act(parsed, context, 'reset', (client) =>
    client.unary('error executing reset', MachineService.Reset, request),
  );
}

const POLL_US = 2_000_000;
const GONE_PROBE_US = 5_000_000;

/**
 * Sends a call that takes nodes down and, with `--wait`, follows it: the request is accepted, the node stops answering, and
 * (but for shutdown) answers again as another boot.
 */
function* act(
  parsed: Parsed,
  context: ToolContext,
  what: string,
  call: (client: TalosClient) => Task<unknown>,
): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    yield* call(client);
    const insecure = parsed.specs.some((spec) => spec.name === 'insecure') && parsed.flags.on('insecure');
    if (!parsed.flags.on('wait') || insecure) return 0;
    for (const node of client.nodes) context.err(`watching nodes: [${node}]\n    * ${node}: waiting for ${what}\n`);
    const staysDown = what === 'shutdown' || (what === 'reset' && !parsed.flags.on('reboot'));
    return yield* follow(client, context, parsed.flags.number('timeout'), staysDown, what);
  });
}

function* follow(
  client: TalosClient,
  context: ToolContext,
  limitUs: number,
  staysDown: boolean,
  what: string,
): Task<number> {
  const { clock } = context.platform;
  const deadlineUs = clock.monotonicUs() + limitUs;
  const waiting = new Map(client.nodes.map((node) => [node, 'stopping' as 'stopping' | 'gone']));
  while (waiting.size > 0) {
    if (clock.monotonicUs() > deadlineUs) throw new CommandFailure(`error tracking ${what}: context deadline exceeded`);
    for (const [node, state] of [...waiting]) {
      const answers = yield* client.answers(node, GONE_PROBE_US);
      if (!answers && staysDown) waiting.delete(node);
      else if (!answers) waiting.set(node, 'gone');
      else if (state === 'gone') waiting.delete(node);
      if (!waiting.has(node)) context.err(`    * ${node}: post check passed\n`);
    }
    if (waiting.size > 0) yield* clock.sleep(POLL_US);
  }
  return 0;
}

export const upgradeCommand: Command<Runner> = {
  use: 'upgrade',
  short: 'Upgrade Talos on the target node',
  args: noArgs,
  run: upgrade,
  flags: [
    flag(
      'image',
      'string',
      'ghcr.io/siderolabs/installer:v1.11.3',
      'the container image to use for performing the install',
      { short: 'i' },
    ),
    flag(
      'reboot-mode',
      'string',
      'default',
      'select the reboot mode during upgrade. Mode "powercycle" bypasses kexec',
      { short: 'm' },
    ),
    flag('preserve', 'bool', false, 'preserve data', { short: 'p', hidden: true }),
    flag('stage', 'bool', false, 'stage the upgrade to perform it after a reboot', { short: 's' }),
    flag(
      'force',
      'bool',
      false,
      'force the upgrade (skip checks on etcd health and members, might lead to data loss)',
      { short: 'f' },
    ),
    flag('insecure', 'bool', false, 'upgrade using the insecure (encrypted with no auth) maintenance service'),
    ...WAIT,
  ],
};

function* upgrade(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const mode = { default: 0, powercycle: 1 }[flags.text('reboot-mode')];
  if (mode === undefined) throw new CommandFailure(`invalid reboot mode: ${flags.text('reboot-mode')}`);
  const request = {
    image: flags.text('image'),
    preserve: flags.on('preserve'),
    stage: flags.on('stage'),
    force: flags.on('force'),
    rebootMode: mode,
  };
  if (flags.on('wait')) {
    return yield* act(parsed, context, 'upgrade', (client) =>
      client.unary('error executing upgrade', MachineService.Upgrade, request),
    );
  }
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error performing upgrade', MachineService.Upgrade, request);
    context.out(
      tabulate([['NODE', 'ACK', 'STARTED'], ...answers.map(({ node, message }) => [node, message.ack, '', ''])]),
    );
    return 0;
  });
}

export const rollbackCommand: Command<Runner> = {
  use: 'rollback',
  short: 'Rollback a node to the previous installation',
  args: noArgs,
  run: rollback,
};

function* rollback(parsed: Parsed, context: ToolContext): Task<number> {
  return yield* withClient(parsed, context, function* (client) {
    yield* client.unary('error executing rollback', MachineService.Rollback, {});
    return 0;
  });
}

export const versionCommand: Command<Runner> = {
  use: 'version',
  short: 'Prints the version',
  args: noArgs,
  run: version,
  flags: [
    flag('client', 'bool', false, 'Print client version only'),
    flag('short', 'bool', false, 'Print the short version'),
    INSECURE,
  ],
};

function* version(parsed: Parsed, context: ToolContext): Task<number> {
  const short = parsed.flags.on('short');
  context.out(
    short
      ? `Talos ${context.talosVersion}\n`
      : `Client:\n${versionBlock({ tag: context.talosVersion, ...context.build })}`,
  );
  if (parsed.flags.on('client')) return 0;
  context.out('Server:\n');
  return yield* withClient(parsed, context, function* (client) {
    const answers = yield* client.unary('error getting version', MachineService.Version, Empty.empty);
    for (const { node, message } of answers) {
      const info = message.version!;
      context.out(`\tNODE:        ${node}\n`);
      const block = {
        tag: info.tag,
        sha: info.sha,
        built: info.built,
        goVersion: info.goVersion,
        osArch: `${info.os}/${info.arch}`,
      };
      context.out(short ? `\tTag:         ${info.tag}\n` : versionBlock(block));
      context.out(`\tEnabled:     ${message.features?.rbac === true ? 'RBAC' : ''}\n`);
    }
    return 0;
  });
}

function versionBlock(info: { tag: string; sha: string; built: string; goVersion: string; osArch: string }): string {
  const rows = [
    ['Tag:', info.tag],
    ['SHA:', info.sha],
    ['Built:', info.built],
    ['Go version:', info.goVersion],
    ['OS/Arch:', info.osArch],
  ];
  return rows.map(([label, value]) => `\t${label!.padEnd(13)}${value}\n`).join('');
}
