import { WatchService } from '../../../api/etcd/services.ts';
import type { WatchRequest, WatchResponse } from '../../../api/etcd/watch.ts';
import { race } from '../../../platform/combinators.ts';
import type { HandlerEntry, ServerStream } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { serviceHandlers } from '../../../rpc/service.ts';
import type { Member } from '../member/member.ts';
import { WatchStream } from '../watch/stream.ts';
import type { Guard } from './guard.ts';

/** Room for the envelope of a message, above the largest request. */
export const GRPC_OVERHEAD_BYTES = 512 * 1024;

/** The Watch service (reference/etcd.md A8). */
export function watchHandlers(member: Member, guard: Guard): HandlerEntry[] {
  return serviceHandlers(WatchService, {
    Watch: guard.stream((stream) => serveWatch(member, guard, stream)),
  });
}

function* serveWatch(member: Member, guard: Guard, stream: ServerStream<WatchRequest, WatchResponse>): Task<void> {
  const { config, behaviour } = member.identity;
  const watches = new WatchStream({
    hub: member.hub,
    clock: member.platform.clock,
    random: member.platform.random.stream('watch-progress'),
    store: () => member.state.store,
    header: (revision) => member.header(revision),
    progressIntervalUs: config.progressNotifyIntervalUs,
    fragmentBytes: config.maxRequestBytes + GRPC_OVERHEAD_BYTES,
    refusesNegativeStart: behaviour.refusesNegativeStart,
  });
  try {
    yield* race<void>({
      requests: takeRequests(watches, stream),
      answers: sendAnswers(watches, stream),
      leader: guard.leaderLost(stream.context),
    });
  } finally {
    watches.close();
  }
}

/** Ends when the client closes its side. */
function* takeRequests(watches: WatchStream, stream: ServerStream<WatchRequest, WatchResponse>): Task<void> {
  for (;;) {
    const request = yield* stream.receive();
    if (request === undefined) return;
    if (request.createRequest !== null) watches.create(request.createRequest);
    else if (request.cancelRequest !== null) watches.cancel(request.cancelRequest.watchId);
    else if (request.progressRequest !== null) watches.requestProgress();
  }
}

function* sendAnswers(watches: WatchStream, stream: ServerStream<WatchRequest, WatchResponse>): Task<void> {
  for (;;) {
    for (const response of yield* watches.next()) {
      if (!stream.send(response)) return;
    }
    yield* stream.drained();
  }
}
