import { type ApplyConfiguration, type ApplyConfigurationRequest, ApplyMode } from '../../../api/machine/lifecycle.ts';
import {
  type ApplyContext,
  type ApplyDecision,
  type ApplyRequest,
  DEFAULT_VERSION,
  type ApplyMode as ModeName,
  planApply,
} from '../../../config/index.ts';
import { utf8Decode } from '../../../platform/bytes.ts';
import { RpcError } from '../../../platform/rpc.ts';
import { microseconds } from '../../../rpc/well-known.ts';
import { activeConfig } from '../../config/active.ts';
import { machineFacts } from '../../config/machine-facts.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';

const MODES: Readonly<Record<number, ModeName>> = Object.freeze({
  [ApplyMode.Reboot]: 'reboot',
  [ApplyMode.Auto]: 'auto',
  [ApplyMode.NoReboot]: 'no-reboot',
  [ApplyMode.Staged]: 'staged',
  [ApplyMode.Try]: 'try',
});

const NUMBERS: Readonly<Record<ModeName, number>> = Object.freeze({
  reboot: ApplyMode.Reboot,
  auto: ApplyMode.Auto,
  'no-reboot': ApplyMode.NoReboot,
  staged: ApplyMode.Staged,
  try: ApplyMode.Try,
});

/** Decides what a request does to this machine; refusals are thrown as statuses. */
export function decideApply(machine: Machine, request: ApplyConfigurationRequest): ApplyDecision {
  const mode = MODES[request.mode];
  if (mode === undefined) throw new NodeError(`incorrect mode '${request.mode}' specified for the apply config call`);
  const wanted: ApplyRequest = {
    text: utf8Decode(request.data),
    mode,
    dryRun: request.dryRun,
    tryTimeoutUs: request.tryModeTimeout === null ? 0 : microseconds(request.tryModeTimeout),
  };
  const context: ApplyContext = {
    version: DEFAULT_VERSION,
    current: activeConfig(machine),
    facts: machineFacts(machine),
  };
  const plan = planApply(wanted, context);
  if (plan.kind === 'refused') throw new RpcError(plan.code, plan.message);
  return plan;
}

/** The answer to a request that was decided. */
export function applyAnswer(decision: ApplyDecision): { readonly messages: readonly ApplyConfiguration[] } {
  return {
    messages: [
      {
        metadata: null,
        warnings: decision.warnings,
        mode: NUMBERS[decision.responseMode],
        modeDetails: decision.details,
      },
    ],
  };
}
