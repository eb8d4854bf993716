import type { MachineService } from '../../../api/machine/services.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import type { Implementation } from '../../../rpc/service.ts';
import { NodeError } from '../../errors.ts';
import type { Kept } from '../../kept.ts';
import type { Machine } from '../../machine.ts';
import { encodeEvent, helloEvent } from '../event-messages.ts';
import { rfc3339Nano } from '../time-text.ts';
import { findContainer } from './containers.ts';

type Handlers = Implementation<typeof MachineService>;
type LogsStream = Parameters<NonNullable<Handlers['Logs']>>[0];
type DmesgStream = Parameters<NonNullable<Handlers['Dmesg']>>[0];
type EventsStream = Parameters<NonNullable<Handlers['Events']>>[0];

/** Sends what is there from `from` on, and with `keepOn` what comes after it, until the caller goes away. */
function* follow<T>(log: Kept<T>, from: number, keepOn: boolean, send: (item: T) => Task<boolean>): Task<void> {
  const unread = log.from(from);
  for (;;) {
    const seen = log.added.version;
    for (const item of unread) if (!(yield* send(item))) return;
    if (!keepOn) return;
    yield* log.added.changed(seen);
  }
}

/** Logs of a service, or of a container (reference/lifecycle-api-cli.md E.4). */
export function* streamLogs(machine: Machine, stream: LogsStream): Task<void> {
  const request = yield* stream.receive();
  if (request === undefined) return;
  const { namespace, id, tailLines } = request;
  const send = function* (line: string): Task<boolean> {
    const sent = stream.send({ metadata: null, bytes: utf8Encode(`${line}\n`) });
    yield* stream.drained();
    return sent;
  };
  if (namespace === 'system' || namespace === '' || id === 'kubelet') {
    const log = machine.serviceLogs.find(id);
    if (log === undefined) throw new NodeError(`log "${id}" was not registered`);
    const from = tailLines >= 0 ? log.end - tailLines : log.start;
    yield* follow(log, from, request.follow, send);
    return;
  }
  const container = findContainer(machine, namespace, id);
  if (container === undefined) throw new NodeError(`container "${id}" not found`);
  for (const line of container.logTail(tailLines >= 0 ? tailLines : 1_000_000)) if (!(yield* send(line))) return;
}

const PRIORITY = 'info'.padStart(7);

export function* streamDmesg(machine: Machine, stream: DmesgStream): Task<void> {
  const request = yield* stream.receive();
  if (request === undefined) return;
  const { kmsg } = machine;
  const from = request.tail ? kmsg.end : kmsg.start;
  yield* follow(kmsg, from, request.follow, function* (line) {
    const text = `${line.facility}: ${PRIORITY}: [${rfc3339Nano(line.atUs)}]: ${line.text}\n`;
    const sent = stream.send({ metadata: null, bytes: utf8Encode(text) });
    yield* stream.drained();
    return sent;
  });
}

/** A greeting, then the events asked for, then what comes. */
export function* streamEvents(machine: Machine, stream: EventsStream): Task<void> {
  const request = yield* stream.receive();
  if (request === undefined) return;
  const { events, platform } = machine;
  stream.send(helloEvent(events.newId(), request.withActorId));
  let from = events.end;
  if (request.tailEvents !== 0) from = request.tailEvents < 0 ? events.start : events.end - request.tailEvents;
  else if (request.tailId !== '') from = positionAfter(machine, request.tailId);
  else if (request.tailSeconds !== 0)
    from = positionSince(machine, platform.clock.nowUs() - request.tailSeconds * 1_000_000);
  yield* follow(events, from, true, function* (event) {
    if (request.withActorId !== '' && event.actorId !== request.withActorId) return true;
    const sent = stream.send(encodeEvent(event));
    yield* stream.drained();
    return sent;
  });
}

function positionAfter(machine: Machine, id: string): number {
  const { events } = machine;
  for (let position = events.start; position < events.end; position++) {
    if (events.at(position)?.id === id) return position + 1;
  }
  return events.start;
}

function positionSince(machine: Machine, sinceUs: number): number {
  const { events } = machine;
  let position = events.start;
  while (position < events.end && events.at(position)!.atUs < sinceUs) position++;
  return position;
}
