import type { Clock } from '../../platform/clock.ts';
import { race } from '../../platform/combinators.ts';
import type { ClientStream } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';

/** A table is printed when nothing more came for this long (reference/lifecycle-api-cli.md F.1). */
const QUIET_US = 500_000;

/**
 * Gives the messages of a stream in batches: what came until it fell silent. The last batch is given however the stream
 * or its reader ends. Throws RpcError as the stream does.
 */
export function* eachBatch<Res>(
  clock: Clock,
  stream: ClientStream<unknown, Res>,
  take: (batch: readonly Res[]) => void,
): Task<void> {
  let batch: Res[] = [];
  const flush = (): void => {
    const ready = batch;
    batch = [];
    if (ready.length > 0) take(ready);
  };
  try {
    for (;;) {
      const next =
        batch.length === 0
          ? yield* received(stream)
          : yield* race<{ message: Res | undefined } | 'quiet'>({ message: received(stream), quiet: quiet(clock) });
      if (next === 'quiet') flush();
      else if (next.message === undefined) return;
      else batch.push(next.message);
    }
  } finally {
    flush();
  }
}

function* received<Res>(stream: ClientStream<unknown, Res>): Task<{ message: Res | undefined }> {
  return { message: yield* stream.receive() };
}

function* quiet(clock: Clock): Task<'quiet'> {
  yield* clock.sleep(QUIET_US);
  return 'quiet';
}
