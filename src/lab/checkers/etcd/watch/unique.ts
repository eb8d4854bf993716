import { textOf } from '../model/keys.ts';
import type { WatchChecker, Watched, WatchGuarantee } from './watch-checker.ts';

/** No change is told twice. */
export const UNIQUE: WatchGuarantee = Object.freeze({ name: 'watch: unique', make: unique });

/** Changes that are remembered: a repetition comes soon, or it is out of order too. */
const REMEMBERED = 2000;

function unique({ report }: Watched): WatchChecker {
  const seen = new Set<string>();
  return {
    events({ events }) {
      for (const { kv } of events) {
        const change = `${kv.modRevision}/${textOf(kv.key)}`;
        if (seen.has(change)) report(`the change of ${textOf(kv.key)} at revision ${kv.modRevision} is told twice`);
        seen.add(change);
      }
      if (seen.size <= REMEMBERED) return;
      for (const change of seen) {
        seen.delete(change);
        if (seen.size <= REMEMBERED / 2) return;
      }
    },
  };
}
