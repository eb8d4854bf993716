import { dirname, isAbsolute, join } from 'node:path';
import { formatConfigError } from '../../config/errors.ts';
import { secretsOfYaml } from '../../config/generate/secrets-yaml.ts';
import { generateFromTalconfig } from '../../config/talhelper/generate.ts';
import { type Command, maximumArgs, type ParsedCommand } from '../../lab/cobra/command.ts';
import { flag } from '../../lab/cobra/flags.ts';
import type { Runner } from '../../lab/talosctl/run.ts';
import type { ToolContext } from '../../lab/tools/tool.ts';
import type { Task } from '../../platform/task.ts';
import { BadInput } from '../../runner/bad-input.ts';
import { EXIT } from '../exit.ts';
import { envFileFlag, readEnvFiles } from './env-file.ts';

/** `talosim gen talconfig`: what `talhelper genconfig` makes of a talconfig.yaml. */
export const talconfigCommand: Command<Runner> = {
  use: 'talconfig [talconfig.yaml]',
  aliases: ['talhelper'],
  short: 'Generates the machine configs and the talosconfig that a talhelper talconfig.yaml describes',
  args: maximumArgs(1),
  run: genTalconfig,
  flags: [
    flag('out-dir', 'string', './clusterconfig', 'directory of the generated files', { short: 'o' }),
    flag('secret-file', 'string', '', 'secrets of the cluster as `gen secrets` makes them (default: fresh ones)', {
      short: 's',
    }),
    envFileFlag,
    flag('skip-missing', 'bool', false, 'leave out patch and manifest files that do not exist'),
  ],
};

function* genTalconfig(parsed: ParsedCommand<Runner>, context: ToolContext): Task<number> {
  const { flags } = parsed;
  const file = parsed.args[0] ?? 'talconfig.yaml';
  const text = context.files.readText(file);
  if (text === undefined) throw new BadInput(`talosim: ${file}: no such file`);
  const env = readEnvFiles(flags.list('env-file'), context.files);
  const secrets = secretsOf(flags.text('secret-file'), context);
  const result = generateFromTalconfig({
    text,
    file,
    ...(env !== undefined && { env }),
    ...(secrets !== undefined && { secrets }),
    readText: (path) => context.files.readText(isAbsolute(path) ? path : join(dirname(file), path)),
    missingFiles: flags.on('skip-missing') ? 'skip' : 'refuse',
    crypto: context.platform.crypto,
    nowSec: Math.floor(context.platform.clock.nowUs() / 1_000_000),
  });
  for (const warning of result.warnings) context.err(`WARNING: ${formatConfigError(warning)}\n`);
  if (result.errors.length > 0) {
    for (const error of result.errors) context.err(`${formatConfigError(error)}\n`);
    return EXIT.badInput;
  }
  const directory = flags.text('out-dir');
  const write = (name: string, content: string): void => {
    context.files.write(join(directory, name), content, 0o600);
    context.out(`generated ${name} in ${directory}\n`);
  };
  for (const node of result.nodes) write(node.fileName, node.text);
  write('talosconfig', result.talosconfig);
  return EXIT.passed;
}

function secretsOf(path: string, context: ToolContext) {
  if (path === '') return undefined;
  const text = context.files.readText(path);
  if (text === undefined) throw new BadInput(`talosim: --secret-file ${path}: no such file`);
  const secrets = secretsOfYaml(text);
  if ('error' in secrets) throw new BadInput(`talosim: --secret-file ${path}: ${secrets.error}`);
  return secrets;
}
