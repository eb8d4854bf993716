import { all } from '../../platform/combinators.ts';
import { NetError } from '../../platform/errors.ts';
import type { Connection } from '../../platform/net.ts';
import type { Task } from '../../platform/task.ts';

/** What one side may lag behind the other before that one is read no further. */
const BUFFER_BYTES = 262_144;

/**
 * Forwards segments unread, both ways, until both sides have sent all they had. The end of one direction is passed on
 * and leaves the other open; when a side breaks, so does the other.
 */
export function* relay(client: Connection, server: Connection): Task<void> {
  yield* all([copy(client, server), copy(server, client)]);
  client.close();
  server.close();
}

function* copy(from: Connection, to: Connection): Task<void> {
  try {
    for (let segment = yield* from.receive(); segment !== undefined; segment = yield* from.receive()) {
      to.send(segment);
      yield* to.drained(BUFFER_BYTES);
    }
    to.shutdownWrite();
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    from.abort();
    to.abort();
  }
}
