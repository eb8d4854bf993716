import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { Election } from '../../client/election.ts';
import { Mutex } from '../../client/mutex.ts';
import { Session } from '../../client/session.ts';
import { CtlExit, ExitCode, type Run } from '../context.ts';
import { boolFlag, type FlagSpecs, intFlag } from '../flags.ts';
import { badArgs } from './arguments.ts';
import { printRange } from './kv.ts';

export const LOCK_FLAGS: FlagSpecs = Object.freeze({ ttl: intFlag('timeout for session', 10) });
export const ELECT_FLAGS: FlagSpecs = Object.freeze({ listen: boolFlag('observation mode', false, 'l') });

/** Takes a lock, prints the key that holds it, and keeps it until the session is lost or, given back, until interrupted. */
export function* lockVerb(run: Run): Task<void> {
  if (run.args.length === 0) badArgs('lock takes a lock name argument and an optional command to execute');
  if (run.args.length > 1) badArgs('a command under the lock is not simulated; leave it out');
  const client = run.client();
  const session = yield* Session.open(client, { ttlSec: run.flags.int('ttl') });
  const mutex = new Mutex(session, run.args[0]!);
  yield* mutex.lock();
  try {
    const held = yield* client.range({ key: utf8Encode(mutex.key) });
    if (held.kvs.length === 0) throw new CtlExit(ExitCode.Error, 'lock lost on init');
    printRange(run, held);
    yield* session.done.get();
  } finally {
    if (!session.done.isSet) mutex.abandon();
  }
  throw new CtlExit(ExitCode.Error, 'session expired');
}

/** Campaigns and prints the key once elected, resigns when interrupted; with `--listen` prints every leader instead. */
export function* electVerb(run: Run): Task<void> {
  const [name, value] = run.args;
  const listen = run.flags.bool('listen');
  if (name === undefined || run.args.length > 2) {
    badArgs('elect takes one election name argument and an optional proposal argument');
  }
  if (!listen && value === undefined) badArgs('no proposal argument but -l not set');
  if (listen && value !== undefined) badArgs('proposal given but -l is set');
  const client = run.client();
  const session = yield* Session.open(client);
  const election = new Election(session, name!);
  if (listen) {
    yield* election.observe((kv) => printRange(run, { header: null, kvs: [kv], more: false, count: 1 }));
  }
  try {
    yield* election.campaign(utf8Encode(value!));
    printRange(run, yield* client.range({ key: utf8Encode(election.key) }));
    yield* session.done.get();
  } finally {
    if (!session.done.isSet) election.abandon();
  }
  throw new CtlExit(ExitCode.Error, 'elect: session expired');
}
