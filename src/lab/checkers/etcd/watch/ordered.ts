import type { WatchChecker, Watched, WatchGuarantee } from './watch-checker.ts';

/** Events come in order of revision, and a header is never behind what it brings. */
export const ORDERED: WatchGuarantee = Object.freeze({ name: 'watch: ordered', make: ordered });

function ordered({ report }: Watched): WatchChecker {
  let last = 0;
  return {
    events({ revision, events }) {
      for (const { kv } of events) {
        if (kv.modRevision < last) report(`revision ${kv.modRevision} comes after revision ${last}`);
        last = kv.modRevision;
      }
      if (revision < last) report(`a header of revision ${revision} brings an event of revision ${last}`);
    },
  };
}
