import type { CallContext, HandlerEntry } from '../../../platform/rpc.ts';
import { NodeAsker } from '../../health/node-asker.ts';
import type { Machine } from '../../machine.ts';
import type { Role } from '../roles.ts';
import type { RouterHost } from '../router.ts';
import { healthHandlers } from './health.ts';
import { machineHandlers } from './machine.ts';
import { stateHandlers } from './state.ts';

/** Every method that machined implements. */
export function allHandlers(
  machine: Machine,
  host: RouterHost,
  rolesOf: (context: CallContext) => readonly Role[],
): readonly HandlerEntry[] {
  const handlers = machineHandlers(machine);
  const askerFor = (context: CallContext): NodeAsker =>
    new NodeAsker(machine, host, handlers, context, rolesOf(context));
  return [...handlers, ...stateHandlers(machine.state, rolesOf), ...healthHandlers(machine, askerFor)];
}
