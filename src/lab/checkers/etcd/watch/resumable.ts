import type { Version } from '../model/key-space.ts';
import { textOf } from '../model/keys.ts';
import { type WatchChecker, type Watched, type WatchGuarantee, wants } from './watch-checker.ts';

/**
 * A watch that begins at a revision is told first of the first change from there on, or that it was compacted: whoever
 * knows where it stopped can go on.
 */
export const RESUMABLE: WatchGuarantee = Object.freeze({ name: 'watch: resumable', make: resumable });

function resumable(about: Watched): WatchChecker {
  const { startRevision } = about.request;
  let begun = startRevision <= 0;
  let last = startRevision - 1;
  return {
    events({ events }) {
      const first = events[0];
      if (first === undefined) return;
      last = events[events.length - 1]!.kv.modRevision;
      if (begun) return;
      begun = true;
      const { keys } = about.truth();
      if (startRevision < keys.oldest) return;
      let wanted: Version | undefined;
      keys.eachChange(startRevision, first.kv.modRevision, (change) => {
        if (wanted === undefined && wants(about, change)) wanted = change;
      });
      if (wanted?.modRevision === first.kv.modRevision && wanted.text === textOf(first.kv.key)) return;
      about.report(
        `begun at revision ${startRevision}, it is first told of revision ${first.kv.modRevision}, not of ${wanted?.modRevision ?? 'nothing'}`,
      );
    },
    compacted(compactRevision) {
      const { compacted } = about.truth();
      if (compactRevision > compacted) {
        about.report(`it is ended by a compaction at ${compactRevision}, but only ${compacted} was compacted`);
      } else if (last + 1 >= compactRevision && startRevision > 0) {
        about.report(`it needs revision ${last + 1}, and is ended by a compaction at ${compactRevision}`);
      }
    },
  };
}
