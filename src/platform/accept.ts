import { NetError } from './errors.ts';
import type { Connection, Listener } from './net.ts';
import type { Task } from './task.ts';

/** Hands every connection to `take` until the listener is closed. */
export function* acceptAll(listener: Listener, take: (connection: Connection) => void): Task<void> {
  for (;;) {
    let connection: Connection;
    try {
      connection = yield* listener.accept();
    } catch (error) {
      if (error instanceof NetError && error.code === 'closed') return;
      throw error;
    }
    take(connection);
  }
}
