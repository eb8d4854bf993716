import { type ApplyConfigurationRequest, ApplyMode } from '../../../api/machine/lifecycle.ts';
import type { ApplyDecision } from '../../../config/index.ts';
import { activateConfig, persistConfig } from '../../config/active.ts';
import { specOf } from '../../config/load.ts';
import type { Machine } from '../../machine.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { decideApply } from './apply.ts';
import { requestReboot } from './power.ts';

/** Applies a config to a machine that has one (reference/v1.11.3.md 4.2). */
export function applyConfiguration(machine: Machine, request: ApplyConfigurationRequest): ApplyDecision {
  // Before anything is checked: a request that is refused afterwards has ended the trial all the same.
  if (request.mode !== ApplyMode.Try) machine.pendingRevert?.cancel();
  const decision = decideApply(machine, request);
  const before = machine.state.get(MachineConfigs, ACTIVE_CONFIG)?.spec;
  const spec = specOf(decision.config, machine.profile);
  machine.kmsg.talos(`apply config request: mode ${decision.responseMode}`);
  if (decision.persist) persistConfig(machine, spec);
  if (decision.activate) activateConfig(machine, spec, decision.responseMode);
  if (decision.revertAfterUs !== undefined && before !== undefined) {
    machine.pendingRevert?.cancel();
    machine.pendingRevert = machine.platform.clock.after(decision.revertAfterUs, () => {
      machine.kmsg.talos('reverting machine configuration after try mode timeout');
      activateConfig(machine, before, 'revert');
    });
  }
  if (decision.reboot) requestReboot(machine, 'default');
  return decision;
}
