import { talosconfigYaml } from '../../../config/generate/talosconfig.ts';
import { certificateFromPem } from '../../../platform/crypto.ts';
import { rfc3339 } from '../../../platform/rfc3339.ts';
import type { Task } from '../../../platform/task.ts';
import { relativeTime } from '../../../platform/text/relative-time.ts';
import { type Command, exactArgs, maximumArgs, minimumArgs, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { CommandFailure, type Runner } from '../run.ts';
import { currentContext, openTalosconfig, pemOf } from '../session.ts';
import { mergeTalosconfig, readTalosconfig, type Talosconfig, talosconfigPath } from '../talosconfig.ts';
import { configNewCommand } from './config-new.ts';

type Parsed = ParsedCommand<Runner>;

/** `talosctl config …`: edits the client's own file, no node is asked (reference/lifecycle-api-cli.md F.5). */
export const configCommand: Command<Runner> = {
  use: 'config',
  short: 'Manage the client configuration file (talosconfig)',
  commands: [
    {
      use: 'endpoint <endpoint>...',
      aliases: ['endpoints'],
      short: 'Set the endpoint(s) for the current context',
      args: minimumArgs(0),
      run: setList('endpoints'),
    },
    {
      use: 'node <endpoint>...',
      aliases: ['nodes'],
      short: 'Set the node(s) for the current context',
      args: minimumArgs(0),
      run: setList('nodes'),
    },
    {
      use: 'context <context>',
      aliases: ['use-context'],
      short: 'Set the current context',
      args: exactArgs(1),
      run: useContext,
    },
    { use: 'contexts', aliases: ['get-contexts'], short: 'List defined contexts', args: noArgs, run: listContexts },
    {
      use: 'merge <from>',
      short: 'Merge additional contexts from another client configuration file',
      args: exactArgs(1),
      run: merge,
    },
    {
      use: 'add <context>',
      short: 'Add a new context',
      args: exactArgs(1),
      run: addContext,
      flags: [
        flag('ca', 'string', '', 'the path to the CA certificate'),
        flag('crt', 'string', '', 'the path to the certificate'),
        flag('key', 'string', '', 'the path to the key'),
      ],
    },
    {
      use: 'remove <context>',
      short: 'Remove contexts',
      args: exactArgs(1),
      run: removeContext,
      flags: [
        flag('noconfirm', 'bool', false, 'do not ask for confirmation', { short: 'y' }),
        flag('dry-run', 'bool', false, 'dry run'),
      ],
    },
    configNewCommand,
    { use: 'info', short: 'Show information about the current context', args: maximumArgs(0), run: info },
  ],
};

function save(context: ToolContext, path: string, config: Talosconfig): void {
  context.files.write(path, talosconfigYaml(config));
}

function setList(field: 'endpoints' | 'nodes'): Runner {
  return function* run(parsed, context): Task<number> {
    const { path, config } = openTalosconfig(parsed, context);
    const current = currentContext(parsed, config);
    const contexts = { ...config.contexts, [current.name]: { ...current.context, [field]: parsed.args } };
    save(context, path, { ...config, contexts });
    return 0;
  };
}

function* useContext(parsed: Parsed, context: ToolContext): Task<number> {
  const { path, config } = openTalosconfig(parsed, context);
  const name = parsed.args[0]!;
  if (config.contexts[name] === undefined) throw new CommandFailure(`context "${name}" not found in config`);
  save(context, path, { ...config, context: name });
  return 0;
}

function* listContexts(parsed: Parsed, context: ToolContext): Task<number> {
  const { config } = openTalosconfig(parsed, context);
  const rows = Object.keys(config.contexts)
    .toSorted()
    .map((name) => {
      const entry = config.contexts[name]!;
      const nodes = entry.nodes ?? [];
      const shown = nodes.length > 3 ? [...nodes.slice(0, 3), '...'] : nodes;
      return [name === config.context ? '*' : '', name, entry.endpoints.join(','), shown.join(',')];
    });
  context.out(tabulate([['CURRENT', 'NAME', 'ENDPOINTS', 'NODES'], ...rows]));
  return 0;
}

function* merge(parsed: Parsed, context: ToolContext): Task<number> {
  const from = readTalosconfig(context.files.readText(parsed.args[0]!), parsed.args[0]!);
  if (typeof from === 'string') throw new CommandFailure(`error reading config: ${from}`);
  const path = talosconfigPath(parsed.flags.text('talosconfig'), context);
  const text = context.files.readText(path);
  const into = text === undefined ? { context: '', contexts: {} } : readTalosconfig(text, path);
  if (typeof into === 'string') throw new CommandFailure(into);
  const { merged, renamed } = mergeTalosconfig(into, from);
  for (const [before, after] of renamed) context.err(`renamed talosconfig context "${before}" -> "${after}"\n`);
  save(context, path, merged);
  return 0;
}

function* addContext(parsed: Parsed, context: ToolContext): Task<number> {
  const { flags, args } = parsed;
  if ((flags.text('crt') === '') !== (flags.text('key') === ''))
    throw new CommandFailure("if either the 'crt' or 'key' flag is specified, both are required");
  const path = talosconfigPath(flags.text('talosconfig'), context);
  const text = context.files.readText(path);
  const config = text === undefined ? { context: '', contexts: {} } : readTalosconfig(text, path);
  if (typeof config === 'string') throw new CommandFailure(config);
  const material: Record<string, string> = {};
  for (const field of ['ca', 'crt', 'key']) {
    const file = flags.text(field);
    if (file === '') continue;
    const pem = context.files.readText(file);
    if (pem === undefined)
      throw new CommandFailure(
        `error reading ${field === 'ca' ? 'CA' : field}: open ${file}: no such file or directory`,
      );
    material[field] = pem;
  }
  save(context, path, { ...config, contexts: { ...config.contexts, [args[0]!]: { endpoints: [], ...material } } });
  return 0;
}

function* removeContext(parsed: Parsed, context: ToolContext): Task<number> {
  const { path, config } = openTalosconfig(parsed, context);
  const pattern = parsed.args[0]!;
  const matcher = new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  );
  const matched = Object.keys(config.contexts).filter((name) => matcher.test(name));
  if (matched.length === 0) throw new CommandFailure(`no contexts matched "${pattern}"`);
  if (!parsed.flags.on('noconfirm')) throw new CommandFailure('nobody is there to confirm: add --noconfirm');
  const contexts = { ...config.contexts };
  for (const name of matched) {
    if (name === config.context) {
      context.err(`skipping removal of current context "${name}", please change it to another before removing\n`);
      continue;
    }
    context.err(`removing context "${name}"\n`);
    delete contexts[name];
  }
  if (!parsed.flags.on('dry-run')) save(context, path, { ...config, contexts });
  return 0;
}

function* info(parsed: Parsed, context: ToolContext): Task<number> {
  const { config } = openTalosconfig(parsed, context);
  const current = currentContext(parsed, config);
  const list = (names: readonly string[] | undefined): string =>
    names === undefined || names.length === 0 ? 'not defined' : names.join(', ');
  context.out(
    `Current context:     ${current.name}\nNodes:               ${list(current.context.nodes)}\nEndpoints:           ${list(current.context.endpoints)}\n${certificateText(context, current.context.crt)}`,
  );
  return 0;
}

/** Roles and end of the client certificate. */
function certificateText(context: ToolContext, crt: string | undefined): string {
  if (crt === undefined) return '';
  const { crypto, clock } = context.platform;
  const { subject, notAfterSec } = certificateFromPem(crypto, pemOf(crt));
  const leftSec = notAfterSec - Math.floor(clock.nowUs() / 1_000_000);
  const day = rfc3339(notAfterSec * 1_000_000).slice(0, 10);
  return `Roles:               ${subject.organizations.join(', ')}\nCertificate expires: ${relativeTime(leftSec)} (${day})\n`;
}
