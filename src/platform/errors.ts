import type { Endpoint } from './net.ts';

/** The closed sets of typed errors that ports fail with. Anything else that escapes a task is a bug of ours. */

export type NetErrorCode =
  | 'refused' // a kernel answered with RST: nobody listens
  | 'unreachable' // no ARP answer or an ICMP error: no route to host
  | 'timeout' // no answer at all within the connect or user timeout
  | 'reset' // the peer's kernel does not know the connection (any more), or aborted it
  | 'closed' // this side closed it
  | 'unknown-host' // a name has no address, or nobody could be asked for it
  | 'address-in-use'
  | 'address-not-available'
  | 'message-too-long';

export class NetError extends Error {
  readonly code: NetErrorCode;
  /** The address that did not answer, where a name was dialled. */
  readonly remote: Endpoint | undefined;
  constructor(code: NetErrorCode, message: string, remote?: Endpoint) {
    super(message);
    this.name = 'NetError';
    this.code = code;
    this.remote = remote;
  }
}

export type DiskErrorCode =
  | 'not-found'
  | 'exists'
  | 'not-empty'
  | 'not-directory'
  | 'is-directory'
  | 'no-space'
  | 'read-only'
  | 'io'
  | 'closed'
  | 'busy';

export class DiskError extends Error {
  readonly code: DiskErrorCode;
  readonly path: string;
  constructor(code: DiskErrorCode, path: string, message: string) {
    super(message);
    this.name = 'DiskError';
    this.code = code;
    this.path = path;
  }
}

export type ContainerErrorCode =
  | 'image-not-found'
  | 'pull-failed'
  | 'exists'
  | 'not-found'
  | 'not-running'
  | 'no-program';

export class ContainerError extends Error {
  readonly code: ContainerErrorCode;
  constructor(code: ContainerErrorCode, message: string) {
    super(message);
    this.name = 'ContainerError';
    this.code = code;
  }
}

/** A wait took longer than it was allowed to. */
export class TimeoutError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimeoutError';
  }
}

/** What `join()` throws for a task that was cancelled or killed. */
export class TaskCancelled extends Error {
  constructor(path: string) {
    super(`task ${path} was cancelled`);
    this.name = 'TaskCancelled';
  }
}

/** A modelled panic: the program of this process ends as if it had crashed, with `text` on its standard error. */
export class Fatal extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'Fatal';
  }
}

/** Ends the process that throws it with an exit code, from however deep. */
export class ExitProcess extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.name = 'ExitProcess';
    this.code = code;
  }
}

/** A broken assertion of our own code: never caught, ends the run with exit code 70. */
export class Bug extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Bug';
  }
}

/** Asserts what must hold whatever the outside does; its failure is our bug, not the cluster's. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Bug(message);
}
