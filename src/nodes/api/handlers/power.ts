import { type ResetRequest, type UpgradeRequest, WipeMode } from '../../../api/machine/lifecycle.ts';
import { isDefect } from '../../../cosi/index.ts';
import type { Task } from '../../../platform/task.ts';
import { fatal } from '../../boot/fatal.ts';
import type { Phase, SequenceName } from '../../boot/sequence.ts';
import { SequenceFailed } from '../../boot/sequencer.ts';
import { showMeta } from '../../boot/sequences/initialize.ts';
import { rebootPhases, shutdownPhases } from '../../boot/sequences/power.ts';
import { type ResetPlan, resetPhases } from '../../boot/sequences/reset.ts';
import { stageUpgradePhases, upgradePhases } from '../../boot/sequences/upgrade.ts';
import { pullInstaller } from '../../boot/tasks/install.ts';
import { revertBootloader } from '../../boot/tasks/upgrade.ts';
import { NodeError } from '../../errors.ts';
import { withUpgradeCheck } from '../../etcd/upgrade-check.ts';
import { type Machine, uuidOf } from '../../machine.ts';
import { findSystemDisk, hasPartition } from '../../storage/layout.ts';
import { META_STAGED_IMAGE, META_STAGED_OPTIONS } from '../../storage/meta.ts';

/** Starts a sequence beside the call that asked for it; returns the id its events carry. */
function launch(machine: Machine, name: SequenceName, phases: () => readonly Phase[], takeOver: boolean): string {
  const actorId = uuidOf(machine.random.bytes(16));
  machine.scope.spawn(`request-${name}`, function* () {
    try {
      yield* machine.sequencer.run(name, phases, { actorId, takeOver });
    } catch (error) {
      if (isDefect(error)) throw error;
      if (error instanceof SequenceFailed && error.code !== 'FATAL') return;
      yield* fatal(machine, error);
    }
  });
  return actorId;
}

export function requestReboot(machine: Machine, mode: 'default' | 'powercycle'): string {
  machine.kmsg.talos(`reboot via API received. mode=${mode === 'default' ? 'DEFAULT' : 'POWERCYCLE'}`);
  return launch(machine, 'reboot', () => rebootPhases(machine, mode), true);
}

export function requestShutdown(machine: Machine, force: boolean, via: 'API' | 'ACPI' = 'API'): string {
  machine.kmsg.talos(`shutdown via ${via} received`);
  return launch(machine, 'shutdown', () => shutdownPhases(machine, force), true);
}

/** Checks the request; the texts are Talos's (reference/lifecycle-api-cli.md A.9). */
export function requestReset(machine: Machine, request: ResetRequest): string {
  const labels = request.systemPartitionsToWipe.filter((spec) => spec.wipe).map((spec) => spec.label);
  if (request.mode === WipeMode.SystemDisk && request.userDisksToWipe.length > 0) {
    throw new NodeError("reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter");
  }
  if (request.mode === WipeMode.UserDisks && labels.length > 0) {
    throw new NodeError(
      "reset failed: invalid input, wipe mode USER_DISKS doesn't support SystemPartitionsToWipe parameter",
    );
  }
  const { blockDevices } = machine.platform;
  const system = findSystemDisk(blockDevices);
  for (const path of request.userDisksToWipe) {
    const device = blockDevices.list().find((candidate) => candidate.path === path);
    if (device === undefined) throw new NodeError(`reset user disk failed: device ${path} wasn't found`);
    if (device.readOnly) throw new NodeError(`reset user disk failed: device ${path} is readonly`);
    if (device.path === system?.path) throw new NodeError(`reset user disk failed: device ${path} is the system disk`);
  }
  for (const label of labels) {
    if (system === undefined || !hasPartition(system, label)) {
      throw new NodeError(`failed to reset: volume "${label}" is not located`);
    }
  }
  const plan: ResetPlan = {
    graceful: request.graceful,
    reboot: request.reboot,
    labels,
    userDisks: request.userDisksToWipe,
    wipeSystem: request.mode !== WipeMode.UserDisks,
    wipeUser: request.mode !== WipeMode.SystemDisk,
  };
  machine.kmsg.talos(`reset request received: graceful=${plan.graceful}`);
  return launch(machine, 'reset', () => resetPhases(machine, plan), false);
}

/** The caller waits for the answer: an image that is not found is asked for twice only. */
const VALIDATION_NOT_FOUND_LIMIT = 2;

/** reference/v1.11.3.md 7.2 */
export function* requestUpgrade(machine: Machine, request: UpgradeRequest): Task<string> {
  machine.kmsg.talos(`upgrade request received: staged ${request.stage}, force ${request.force}`);
  if (findSystemDisk(machine.platform.blockDevices) === undefined) throw new NodeError('Talos is not installed');
  machine.kmsg.talos(`validating "${request.image}"`);
  try {
    yield* pullInstaller(machine, request.image, VALIDATION_NOT_FOUND_LIMIT);
  } catch (error) {
    if (error instanceof NodeError)
      throw new NodeError(`error validating installer image "${request.image}": ${error.message}`);
    throw error;
  }
  if (!request.force) yield* withUpgradeCheck(machine);
  const powercycle = request.rebootMode === 1;
  if (!request.stage) {
    return launch(machine, 'upgrade', () => upgradePhases(machine, request.image, powercycle), false);
  }
  machine.meta.set(META_STAGED_IMAGE, request.image);
  machine.meta.set(META_STAGED_OPTIONS, '{}');
  yield* machine.meta.flush();
  showMeta(machine);
  return launch(machine, 'stageUpgrade', () => stageUpgradePhases(machine, powercycle), false);
}

/** Flips the boot loader, answers, reboots. */
export function* requestRollback(machine: Machine): Task<void> {
  machine.kmsg.talos('rollback via API received');
  if (findSystemDisk(machine.platform.blockDevices) === undefined) throw new NodeError('system disk not found');
  yield* revertBootloader(machine);
  launch(machine, 'reboot', () => rebootPhases(machine, 'default'), true);
}
