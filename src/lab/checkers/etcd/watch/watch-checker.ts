import { type Event, EventType } from '../../../../api/etcd/kv.ts';
import type { WatchCreateRequest } from '../../../../api/etcd/watch.ts';
import { WatchFilter } from '../../../../api/etcd/watch.ts';
import type { Version } from '../model/key-space.ts';
import { covers, type Interval, watchedInterval } from '../model/keys.ts';
import type { EtcdModel } from '../model/model.ts';

/** Events that arrived together; pieces of a fragmented answer are joined. */
export interface WatchAnswer {
  /** Revision of the header. */
  readonly revision: number;
  readonly events: readonly Event[];
}

/** One guarantee about one watch, followed from its beginning (reference/etcd.md A8, F4). */
export interface WatchChecker {
  /** Its first answer: the server's revision when the watch began. */
  created?(revision: number): void;
  events?(answer: WatchAnswer): void;
  /** Everything up to `revision` was delivered, says the server. */
  progress?(revision: number): void;
  /** The server ended the watch, because revisions below `compactRevision` are gone. */
  compacted?(compactRevision: number): void;
  /** Nothing more will happen in the cluster, and the watch is still open. */
  finish?(): void;
}

/** What a checker knows of its watch. */
export interface Watched {
  readonly request: WatchCreateRequest;
  readonly interval: Interval;
  /** The agreed order of writes; asked anew each time, since a restored cluster has another. */
  readonly truth: () => EtcdModel;
  readonly report: (detail: string) => void;
}

export interface WatchGuarantee {
  /** Name of the guarantee: `watch: ordered`. */
  readonly name: string;
  readonly make: (watched: Watched) => WatchChecker;
}

export function watched(
  request: WatchCreateRequest,
  truth: () => EtcdModel,
  report: (detail: string) => void,
): Watched {
  return { request, interval: watchedInterval(request.key, request.rangeEnd), truth, report };
}

/** Whether a watch is to be told of a change. */
export function wants({ request, interval }: Watched, change: Version): boolean {
  if (!covers(interval, change.text)) return false;
  return !request.filters.includes(change.version === 0 ? WatchFilter.NoDelete : WatchFilter.NoPut);
}

export function typeName(event: Event): string {
  return event.type === EventType.Put ? 'PUT' : 'DELETE';
}
