import { EventType } from '../../../../api/etcd/kv.ts';
import { WatchFilter } from '../../../../api/etcd/watch.ts';
import { covers, textOf } from '../model/keys.ts';
import { typeName, type WatchChecker, type Watched, type WatchGuarantee } from './watch-checker.ts';

/** Only what was asked for comes: the keys, the kinds of events, from the revision on. */
export const FILTERS: WatchGuarantee = Object.freeze({ name: 'watch: filters', make: filters });

function filters({ request, interval, report }: Watched): WatchChecker {
  return {
    events({ events }) {
      if (events.length === 0) report('an answer without events is no sign of progress');
      for (const event of events) {
        const { type, kv } = event;
        if (!covers(interval, textOf(kv.key))) report(`${textOf(kv.key)} is not among the keys watched`);
        const unwanted = type === EventType.Put ? WatchFilter.NoPut : WatchFilter.NoDelete;
        if (request.filters.includes(unwanted)) report(`a ${typeName(event)} comes, which is filtered`);
        if (kv.modRevision < request.startRevision) {
          report(`revision ${kv.modRevision} comes, although the watch begins at ${request.startRevision}`);
        }
      }
    },
  };
}
