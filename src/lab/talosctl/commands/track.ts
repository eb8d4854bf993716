import type { Task } from '../../../platform/task.ts';
import type { ParsedCommand } from '../../cobra/command.ts';
import { type FlagSpec, flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { type TalosClient, withClient } from '../client.ts';
import { CommandFailure, type Runner } from '../run.ts';

type Parsed = ParsedCommand<Runner>;

/** Flags of every command that follows what it started. */
export const WAIT: readonly FlagSpec[] = [
  flag(
    'wait',
    'bool',
    true,
    'wait for the operation to complete, tracking its progress. always set to true when --debug is set',
  ),
  flag('timeout', 'duration', 1_800_000_000, 'time to wait for the operation is complete if --debug or --wait is set'),
  flag('debug', 'bool', false, 'debug operation from kernel logs. --wait is set to true when this flag is set'),
];

const POLL_US = 2_000_000;
const GONE_PROBE_US = 5_000_000;

/**
 * Sends a call that takes nodes down and, with `--wait`, follows it: the request is accepted, the node stops answering, and
 * (but for shutdown) answers again as another boot.
 */
export function* act(
  parsed: Parsed,
  context: ToolContext,
  what: string,
  call: (client: TalosClient) => Task<unknown>,
): Task<number> {
  if (parsed.flags.on('debug'))
    throw new CommandFailure(
      `${what} --debug is not simulated: follow the kernel log with talosctl dmesg --follow in the background`,
    );
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
