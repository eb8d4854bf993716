import type { CallContext, HandlerEntry } from '../../../platform/rpc.ts';
import type { Machine } from '../../machine.ts';
import type { Role } from '../roles.ts';
import { machineHandlers } from './machine.ts';
import { stateHandlers } from './state.ts';

/** Every method that machined implements. */
export function allHandlers(
  machine: Machine,
  rolesOf: (context: CallContext) => readonly Role[],
): readonly HandlerEntry[] {
  return [...machineHandlers(machine), ...stateHandlers(machine.state, rolesOf)];
}
