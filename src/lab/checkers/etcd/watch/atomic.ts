import { type WatchChecker, type Watched, type WatchGuarantee, wants } from './watch-checker.ts';

/** All changes of one revision that a watch wants come in one answer. */
export const ATOMIC: WatchGuarantee = Object.freeze({ name: 'watch: atomic', make: atomic });

function atomic(about: Watched): WatchChecker {
  let last = 0;
  return {
    events({ events }) {
      const first = events[0]?.kv.modRevision;
      if (first === undefined) return;
      if (first === last) about.report(`revision ${first} is spread over two answers`);
      last = events[events.length - 1]!.kv.modRevision;
      const { keys } = about.truth();
      if (first < keys.oldest || last > keys.revision) return;
      const counts = new Map<number, number>();
      for (const { kv } of events) counts.set(kv.modRevision, (counts.get(kv.modRevision) ?? 0) + 1);
      for (const [revision, count] of counts) {
        let wanted = 0;
        keys.eachChange(revision, revision, (change) => {
          if (wants(about, change)) wanted++;
        });
        if (count < wanted) about.report(`of ${wanted} changes of revision ${revision} only ${count} come together`);
      }
    },
  };
}
