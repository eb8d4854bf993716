import type { Connection } from '../../src/platform/net.ts';
import type { Task } from '../../src/platform/task.ts';

/** Code of the NetError that a task fails with; `none` when it does not. */
export function* codeOf(task: Task<unknown>): Task<string> {
  try {
    yield* task;
    return 'none';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

/** Connections carry bytes in order; where one segment ends and the next begins is not promised. */
export function* readBytes(connection: Connection, count: number): Task<number[]> {
  const bytes: number[] = [];
  while (bytes.length < count) {
    const segment = yield* connection.receive();
    if (segment === undefined) break;
    for (const byte of segment as Uint8Array) bytes.push(byte);
  }
  return bytes;
}
