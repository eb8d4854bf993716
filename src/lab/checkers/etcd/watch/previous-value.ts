import { valueDifference } from '../model/difference.ts';
import { textOf } from '../model/keys.ts';
import type { WatchChecker, Watched, WatchGuarantee } from './watch-checker.ts';

/** With prev_kv an event brings the value before it, unless that was compacted meanwhile; without, never. */
export const PREVIOUS_VALUE: WatchGuarantee = Object.freeze({ name: 'watch: previous value', make: previousValue });

function previousValue({ request, truth, report }: Watched): WatchChecker {
  return {
    events({ events }) {
      const { keys, compacted } = truth();
      for (const { kv, prevKv } of events) {
        if (!request.prevKv) {
          if (prevKv !== null) report(`revision ${kv.modRevision} comes with a previous value, which nobody asked for`);
          continue;
        }
        const before = kv.modRevision - 1;
        if (before < keys.oldest || kv.modRevision > keys.revision) continue;
        const right = keys.at(textOf(kv.key), before);
        if (prevKv === null && before < compacted) continue;
        const found = valueDifference('the previous value', right, prevKv);
        if (found !== null) report(`the event of revision ${kv.modRevision} ${found}`);
      }
    },
  };
}
