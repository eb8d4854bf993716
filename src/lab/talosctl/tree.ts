import type { Command } from '../cobra/command.ts';
import { flag } from '../cobra/flags.ts';
import { applyConfigCommand } from './commands/apply-config.ts';
import { bootstrapCommand } from './commands/bootstrap.ts';
import { healthCommand, kubeconfigCommand } from './commands/cluster.ts';
import { configCommand } from './commands/config.ts';
import { etcdCommand } from './commands/etcd.ts';
import { eventsCommand } from './commands/events.ts';
import { listCommand, readCommand } from './commands/files.ts';
import { genCommand, machineConfigCommand } from './commands/gen.ts';
import { getCommand } from './commands/get.ts';
import { inspectCommand } from './commands/inspect.ts';
import {
  containersCommand,
  dmesgCommand,
  logsCommand,
  memoryCommand,
  serviceCommand,
  timeCommand,
} from './commands/observe.ts';
import { rebootCommand, shutdownCommand } from './commands/power.ts';
import { resetCommand } from './commands/reset.ts';
import { supportCommand } from './commands/support.ts';
import { unsupportedCommands } from './commands/unsupported.ts';
import { rollbackCommand, upgradeCommand } from './commands/upgrade.ts';
import { upgradeKubernetesCommand } from './commands/upgrade-k8s.ts';
import { validateCommand } from './commands/validate.ts';
import { versionCommand } from './commands/version.ts';
import type { Runner } from './run.ts';

/** The whole talosctl v1.11.3 that is simulated (reference/lifecycle-api-cli.md F.2); the rest is refused by name. */
export const talosctlTree: Command<Runner> = {
  use: 'talosctl',
  short: 'A CLI for out-of-band management of Kubernetes nodes created by Talos',
  persistentFlags: [
    flag('talosconfig', 'string', '', 'The path to the Talos configuration file'),
    flag('context', 'string', '', 'Context to be used in command'),
    flag('nodes', 'strings', [], 'target the specified nodes', { short: 'n' }),
    flag('endpoints', 'strings', [], 'override default endpoints in Talos configuration', { short: 'e' }),
    flag('cluster', 'string', '', 'Cluster to connect to if a proxy endpoint is used.'),
    // For contexts that sign their calls, which there are none of here.
    flag(
      'siderov1-keys-dir',
      'string',
      '',
      "The path to the SideroV1 auth PGP keys directory. Defaults to 'SIDEROV1_KEYS_DIR' env variable if set, otherwise '$HOME/.talos/keys'. Only valid for Contexts that use SideroV1 auth.",
    ),
  ],
  commands: [
    applyConfigCommand,
    bootstrapCommand,
    configCommand,
    containersCommand,
    dmesgCommand,
    etcdCommand,
    eventsCommand,
    genCommand,
    getCommand,
    healthCommand,
    inspectCommand,
    kubeconfigCommand,
    listCommand,
    logsCommand,
    machineConfigCommand,
    memoryCommand,
    readCommand,
    rebootCommand,
    resetCommand,
    rollbackCommand,
    serviceCommand,
    shutdownCommand,
    supportCommand,
    timeCommand,
    upgradeCommand,
    upgradeKubernetesCommand,
    validateCommand,
    versionCommand,
    ...unsupportedCommands,
  ],
};
