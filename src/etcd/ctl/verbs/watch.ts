import { EventType } from '../../../api/etcd/kv.ts';
import { END } from '../../../platform/channel.ts';
import type { Task } from '../../../platform/task.ts';
import type { WatchUpdate } from '../../client/watch.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs, intFlag } from '../flags.ts';
import { eventJson } from '../print/messages.ts';
import { kvLines } from '../print/words.ts';
import { badArgs, notAsTable } from './arguments.ts';
import { rangeOf } from './kv.ts';

export const WATCH_FLAGS: FlagSpecs = Object.freeze({
  prefix: boolFlag(),
  'from-key': boolFlag(),
  rev: intFlag(),
  'prev-kv': boolFlag(),
  'progress-notify': boolFlag(),
  interactive: { kind: 'bool', initial: 'false', short: 'i' },
});

/** Prints changes until it is interrupted, or the server ends the watch. */
export function* watchVerb(run: Run): Task<void> {
  if (run.flags.bool('interactive')) badArgs('interactive watch is not simulated; give the key as an argument');
  if (run.args.length === 0) badArgs('watch in non-interactive mode requires an argument or environment variable');
  if (run.format === 'table') notAsTable();
  const watch = run.client().watches.watch({
    ...rangeOf('watch', run.args, run.flags),
    startRevision: run.flags.int('rev'),
    prevKv: run.flags.bool('prev-kv'),
    progressNotify: run.flags.bool('progress-notify'),
    requireLeader: true,
  });
  for (;;) {
    const update = yield* watch.receive();
    if (update === END) return;
    if (update.error !== null) {
      run.errorLine(`watch was canceled (${update.error.message})`);
      throw new CtlExit(ExitCode.Interrupted, 'watch is canceled by the server');
    }
    print(run, update);
  }
}

function print(run: Run, update: WatchUpdate): void {
  if (run.format === 'json') {
    const events = update.events.length === 0 ? 'null' : `[${update.events.map(eventJson).join(',')}]`;
    run.line(
      `{"Header":{"revision":${update.revision}},"Events":${events},"CompactRevision":0,"Canceled":false,"Created":false}`,
    );
    return;
  }
  if (update.events.length === 0) {
    run.line(`progress notify: ${update.revision}`);
    return;
  }
  for (const event of update.events) {
    run.line(event.type === EventType.Put ? 'PUT' : 'DELETE');
    if (event.prevKv !== null) run.context.out(kvLines(event.prevKv, run.hex, false));
    run.context.out(kvLines(event.kv, run.hex, false));
  }
}
