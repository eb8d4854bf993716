import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { exclusive, isDefect, weak } from '../../../cosi/index.ts';
import { Notifier } from '../../../platform/signal.ts';
import type { Task } from '../../../platform/task.ts';
import { activeSettings } from '../../config/active.ts';
import { errorText } from '../../errors.ts';
import { timeSynced } from '../../events.ts';
import type { Machine } from '../../machine.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { TimeServerStatuses } from '../../resources/network.ts';
import { TimeStatuses } from '../../resources/runtime.ts';
import { queryTime } from '../../time/query.ts';

const RETRY_US = 1_000_000;
const MIN_POLL_US = 32_000_000;
const MAX_POLL_US = 2_048_000_000;
const GOOD_OFFSET_US = 50_000;
const BAD_OFFSET_US = 200_000;
const EPOCH_STEP_US = 900_000_000;

/** What the syncer tells the controller. */
interface Sync {
  synced: boolean;
  epoch: number;
  readonly changed: Notifier;
}

/**
 * Keeps the wall clock right with the configured time servers (reference/network-config.md D.11). Small offsets are
 * stepped like large ones: the platform has no slewing clock.
 */
export function timeSyncController(machine: Machine): Controller {
  return {
    name: 'time.SyncController',
    inputs: [weak(TimeServerStatuses, 'timeservers'), weak(MachineConfigs, ACTIVE_CONFIG)],
    outputs: [exclusive(TimeStatuses)],
    *run(context) {
      const sync: Sync = { synced: false, epoch: 0, changed: new Notifier() };
      context.wakeOn(sync.changed);
      const bootUs = machine.platform.clock.monotonicUs();
      let running: { readonly servers: string; cancel(): void } | undefined;
      for (;;) {
        yield* context.wakeUp();
        const time = activeSettings(context)?.machine.time;
        const servers = context.get(TimeServerStatuses, 'timeservers')?.spec.timeServers ?? [];
        const disabled = time?.disabled === true;
        const wanted = disabled ? '' : servers.join(',');
        if (running !== undefined && running.servers !== wanted) {
          running.cancel();
          running = undefined;
          sync.synced = false;
        }
        if (running === undefined && wanted !== '') {
          const task = context.scope.spawn('syncer', () => keepSynced(machine, servers, sync));
          running = { servers: wanted, cancel: () => task.cancel() };
        }
        const timedOut = deadline(machine, context, bootUs, time?.bootTimeoutUs ?? 0);
        publish(machine, context, disabled || sync.synced || timedOut, sync.epoch, disabled);
        context.resetRestartBackoff();
      }
    },
  };
}

/** True once the boot has waited long enough for a first sync; 0 waits for ever. */
function deadline(machine: Machine, context: ControllerContext, bootUs: number, bootTimeoutUs: number): boolean {
  if (bootTimeoutUs === 0) return false;
  const leftUs = bootUs + bootTimeoutUs - machine.platform.clock.monotonicUs();
  if (leftUs > 0) {
    context.scope.spawn('boot-timeout', function* () {
      yield* machine.platform.clock.sleep(leftUs);
      context.queueReconcile();
    });
  }
  return leftUs <= 0;
}

function publish(
  machine: Machine,
  context: ControllerContext,
  synced: boolean,
  epoch: number,
  disabled: boolean,
): void {
  const before = context.get(TimeStatuses, 'node')?.spec.synced;
  context.set(TimeStatuses, 'node', { synced, epoch, syncDisabled: disabled });
  if (before !== synced) machine.platform.log.event(timeSynced, { synced });
}

function* keepSynced(machine: Machine, servers: readonly string[], sync: Sync): Task<void> {
  const { clock } = machine.platform;
  let pollUs = MIN_POLL_US;
  for (let turn = 0; ; ) {
    const offsetUs = yield* askOne(machine, servers[turn % servers.length]!);
    if (offsetUs === undefined) {
      turn++;
      yield* clock.sleep(RETRY_US);
      continue;
    }
    const size = Math.abs(offsetUs);
    if (offsetUs !== 0) machine.platform.timekeeping.step(offsetUs);
    if (size > EPOCH_STEP_US) sync.epoch++;
    if (!sync.synced || size > EPOCH_STEP_US) {
      sync.synced = true;
      sync.changed.notify();
    }
    if (size < GOOD_OFFSET_US) pollUs = Math.min(pollUs * 2, MAX_POLL_US);
    else if (size > BAD_OFFSET_US) pollUs = MIN_POLL_US;
    yield* clock.sleep(pollUs);
  }
}

/** Offset according to one server, undefined when it does not answer. */
function* askOne(machine: Machine, server: string): Task<number | undefined> {
  try {
    const [address] = yield* machine.platform.net.lookup(server);
    return (yield* queryTime(machine.platform, address!)).offsetUs;
  } catch (error) {
    if (isDefect(error)) throw error;
    machine.kmsg.talos(`time query error: ${errorText(error)}`);
    return undefined;
  }
}
