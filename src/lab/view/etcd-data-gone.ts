import { booted, etcdPhase } from '../../nodes/events.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { diskBlanked } from '../../world/events.ts';

/** Kinds of events that {@link etcdDataGone} looks at. */
export const TELLING_OF_DATA: readonly string[] = Object.freeze([booted.name, diskBlanked.name, etcdPhase.name]);

/** True when an event shows that its machine holds no data of etcd (any more): it left, was wiped, or is blank. */
export function etcdDataGone(event: TraceEvent): boolean {
  if (event.kind === booted.name) return event.fields.disk === 'blank';
  if (event.kind === diskBlanked.name) return event.fields.system === true;
  if (event.kind !== etcdPhase.name) return false;
  // A control plane waits to join only with an empty data directory.
  return event.fields.phase === 'left' || event.fields.phase === 'waiting-to-join';
}
