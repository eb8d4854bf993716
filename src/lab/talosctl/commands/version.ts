import { MachineService } from '../../../api/machine/services.ts';
import type { Task } from '../../../platform/task.ts';
import { Empty } from '../../../rpc/well-known.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { withClient } from '../client.ts';
import type { Runner } from '../run.ts';
import { INSECURE } from './insecure.ts';

type Parsed = ParsedCommand<Runner>;

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
