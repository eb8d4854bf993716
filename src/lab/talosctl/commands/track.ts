import { MachineService, StorageService } from '../../../api/machine/services.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { all, timeout } from '../../../platform/combinators.ts';
import { TimeoutError } from '../../../platform/errors.ts';
import { type ClientStream, type Method, RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { Empty } from '../../../rpc/well-known.ts';
import type { ParsedCommand } from '../../cobra/command.ts';
import { type FlagSpec, flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { maintenanceClient, type Tagged, type TalosClient, withClient } from '../client.ts';
import { readMachineEvent, type ShownEvent } from '../machine-event.ts';
import { CommandFailure, NotSimulated, type Runner } from '../run.ts';

type Parsed = ParsedCommand<Runner>;
type EventStream = ClientStream<Parameters<typeof MachineService.Events.request.encode>[0], MachineEventMessage>;
type MachineEventMessage = ReturnType<typeof MachineService.Events.response.decode>;

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

const RETRY_US = 1_000_000;
const POST_CHECK_ATTEMPT_US = 5_000_000;
const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id';
const ALL_KEPT = -1;

/** A call that takes a machine down, and how it is seen to be done. */
export interface Action<Req> {
  readonly name: 'reboot' | 'shutdown' | 'reset' | 'upgrade';
  readonly method: Method<Req, { readonly messages: readonly (Tagged & { readonly actorId: string })[] }>;
  readonly request: Req;
  /** `back`: it runs again as another boot; `maintenance`: the same, or without a config; `down`: its services stop. */
  readonly until: 'back' | 'maintenance' | 'down';
}

/** Sends the call to every node, and with `--wait` follows each to its end (reference/lifecycle-api-cli.md C.6). */
export function* act<Req>(parsed: Parsed, context: ToolContext, action: Action<Req>): Task<number> {
  if (parsed.flags.on('debug'))
    throw new NotSimulated(`${action.name} --debug is not simulated: watch the kernel log with talosctl dmesg`);
  const insecure = parsed.specs.some((spec) => spec.name === 'insecure') && parsed.flags.on('insecure');
  return yield* withClient(parsed, context, function* (client) {
    if (!parsed.flags.on('wait') || insecure) {
      yield* client.unary(`error executing ${action.name}`, action.method, action.request);
      return 0;
    }
    const failures = yield* track(client, context, action, parsed.flags.number('timeout'));
    if (failures.length > 0) throw new CommandFailure(failures.join('\n'));
    return 0;
  });
}

function* track<Req>(client: TalosClient, context: ToolContext, action: Action<Req>, limitUs: number): Task<string[]> {
  const { clock } = context.platform;
  const outcomes = yield* all(
    client.nodes.map(function* (node): Task<string> {
      try {
        yield* timeout(clock, limitUs, new Tracker(client, context, node, action).run(), action.name);
        return '';
      } catch (error) {
        if (error instanceof TimeoutError) return `${node}: context deadline exceeded`;
        if (error instanceof RpcError) return `error executing ${action.name}: ${error.describe()}`;
        if (error instanceof CommandFailure) return `${node}: ${error.message}`;
        throw error;
      }
    }),
  );
  return outcomes.filter((outcome) => outcome !== '');
}

/** Follows one node through an action by its event stream. */
class Tracker<Req> {
  readonly #client: TalosClient;
  readonly #context: ToolContext;
  readonly #node: string;
  readonly #action: Action<Req>;
  #said = '';

  constructor(client: TalosClient, context: ToolContext, node: string, action: Action<Req>) {
    this.#client = client;
    this.#context = context;
    this.#node = node;
    this.#action = action;
  }

  *run(): Task<void> {
    const stream = this.#subscribe(0);
    try {
      // The first message is a greeting that says nothing.
      yield* stream.receive();
      const bootId = yield* this.#bootId();
      this.#say('waiting for actor ID');
      const answer = yield* this.#client.single(this.#action.method, this.#action.request, this.#node);
      const actorId = answer.messages[0]?.actorId ?? '';
      this.#say(`actor ID: ${actorId}`);
      yield* this.#untilExpected(stream, actorId);
      this.#say('events check condition met');
      if (this.#action.until === 'down') return;
      yield* this.#postCheck(bootId);
      this.#say('post check passed');
    } finally {
      stream.cancel();
    }
  }

  /** Reads events until the one that is waited for; an interrupted stream is opened again with all that is kept. */
  *#untilExpected(first: EventStream, actorId: string): Task<void> {
    let stream = first;
    let anyActor = false;
    for (;;) {
      const end = yield* this.#readEvents(stream, actorId, anyActor);
      if (end === 'expected') return;
      if (stream !== first) stream.cancel();
      if (end === 'unavailable') this.#say('unavailable, retrying...');
      yield* this.#context.platform.clock.sleep(RETRY_US);
      stream = this.#subscribe(ALL_KEPT);
      anyActor = true;
    }
  }

  *#readEvents(stream: EventStream, actorId: string, anyActor: boolean): Task<'expected' | 'unavailable' | 'stopping'> {
    try {
      for (;;) {
        const message = yield* stream.receive();
        if (message === undefined) return 'unavailable';
        const event = readMachineEvent(message);
        if (event === undefined) continue;
        const own = message.actorId === actorId;
        if (own || anyActor) this.#say(event.progress);
        if (own && event.error !== undefined && event.source !== 'reboot')
          throw new CommandFailure(`sequence error: ${event.error}`);
        if (this.#isExpected(event)) return 'expected';
        if (event.source === 'stopAllServices' && event.message === 'STOP') return 'stopping';
      }
    } catch (error) {
      if (error instanceof RpcError && error.status === 'Unavailable') return 'unavailable';
      throw error;
    }
  }

  #isExpected(event: ShownEvent): boolean {
    if (this.#action.until === 'back') return event.runningAndReady === true;
    return event.kind === 'TaskEvent' && event.source === 'stopAllServices';
  }

  /** Another boot, or a machine without a config that answers without certificates. */
  *#postCheck(bootId: string | undefined): Task<void> {
    if (bootId === undefined) return;
    const { clock } = this.#context.platform;
    for (;;) {
      const now = yield* this.#attempt(this.#bootId());
      if (now !== undefined && now !== bootId) return;
      if (this.#action.until === 'maintenance' && (yield* this.#answersWithoutConfig())) return;
      yield* clock.sleep(RETRY_US);
    }
  }

  *#answersWithoutConfig(): Task<boolean> {
    const client = maintenanceClient(this.#context, [this.#node]);
    try {
      return (yield* this.#attempt(client.single(StorageService.Disks, Empty.empty, this.#node))) !== undefined;
    } finally {
      client.close();
    }
  }

  *#attempt<T>(task: Task<T>): Task<T | undefined> {
    try {
      return yield* timeout(this.#context.platform.clock, POST_CHECK_ATTEMPT_US, task);
    } catch (error) {
      if (error instanceof RpcError || error instanceof TimeoutError) return undefined;
      throw error;
    }
  }

  /** What changes with each boot; undefined for whoever may not read files. */
  *#bootId(): Task<string | undefined> {
    const stream = this.#client.singleStream(MachineService.Read, this.#node);
    try {
      stream.send({ path: BOOT_ID_FILE });
      stream.closeSend();
      const data = yield* stream.receive();
      return data === undefined ? undefined : utf8Decode(data.bytes).trim();
    } catch (error) {
      if (error instanceof RpcError && error.status === 'PermissionDenied') return undefined;
      throw error;
    } finally {
      stream.cancel();
    }
  }

  #subscribe(tailEvents: number): EventStream {
    const stream = this.#client.singleStream(MachineService.Events, this.#node);
    stream.send({ tailEvents, tailId: '', tailSeconds: 0, withActorId: '' });
    stream.closeSend();
    return stream;
  }

  #say(message: string): void {
    if (message === this.#said) return;
    this.#said = message;
    this.#context.err(`"${this.#node}": ${message}\n`);
  }
}
