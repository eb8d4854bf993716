import { EventType } from '../../../api/etcd/kv.ts';
import { END } from '../../../platform/channel.ts';
import type { Task } from '../../../platform/task.ts';
import type { WatchUpdate } from '../../client/watch.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs, intFlag } from '../flags.ts';
import { eventFields, headerFields } from '../print/fields.ts';
import { eventJson, headerJson } from '../print/messages.ts';
import { lines, show } from '../print/show.ts';
import { kvLines } from '../print/words.ts';
import { badArgs } from './arguments.ts';
import { rangeOf } from './kv.ts';

export const WATCH_FLAGS: FlagSpecs = Object.freeze({
  prefix: boolFlag('Watch on a prefix if prefix is set'),
  rev: intFlag('Revision to start watching'),
  'prev-kv': boolFlag('get the previous key-value pair before the event happens'),
  'progress-notify': boolFlag('get periodic watch progress notification from server'),
  interactive: boolFlag('Interactive mode', false, 'i'),
});

/** Prints changes until it is interrupted, or the server ends the watch. */
export function* watchVerb(run: Run): Task<void> {
  if (run.flags.bool('interactive')) badArgs('interactive watch is not simulated; give the key as an argument');
  const { dashAt, args } = run;
  if (dashAt !== undefined && dashAt === args.length) {
    badArgs('bad number of arguments (found separator --, but no commands)');
  }
  if (args.length === 0 || dashAt === 0) badArgs('bad number of arguments');
  if (dashAt !== undefined) badArgs('a command to run at each change is not simulated; leave it out');
  if (run.format === 'table') throw new CtlExit(ExitCode.BadFeature, 'table not supported as output format');
  const watch = run.client().watches.watch({
    ...rangeOf('watch', args, run.flags),
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
  show(run, {
    simple: () => (update.events.length === 0 ? `progress notify: ${update.revision}\n` : eventLines(update, run.hex)),
    json: () => lines([updateJson(update)]),
    fields: () => headerFields(update.header) + update.events.map(eventFields).join(''),
  });
}

function updateJson({ header, events }: WatchUpdate): string {
  const told = header === null ? '{}' : headerJson(header);
  const list = events.length === 0 ? 'null' : `[${events.map(eventJson).join(',')}]`;
  return `{"Header":${told},"Events":${list},"CompactRevision":0,"Canceled":false,"Created":false}`;
}

function eventLines({ events }: WatchUpdate, hex: boolean): string {
  const each = events.map((event) => {
    const type = event.type === EventType.Put ? 'PUT' : 'DELETE';
    const before = event.prevKv === null ? '' : kvLines(event.prevKv, hex, false);
    return `${type}\n${before}${kvLines(event.kv, hex, false)}`;
  });
  return each.join('');
}
