import type { WatchChecker, Watched, WatchGuarantee } from './watch-checker.ts';

/** After progress to a revision no change of it or of an earlier one comes any more, and progress never goes back. */
export const BOOKMARKABLE: WatchGuarantee = Object.freeze({ name: 'watch: bookmarkable', make: bookmarkable });

function bookmarkable({ request, truth, report }: Watched): WatchChecker {
  let bookmark = 0;
  let last = 0;
  return {
    events({ events }) {
      for (const { kv } of events) {
        if (kv.modRevision <= bookmark) report(`revision ${kv.modRevision} comes after progress to ${bookmark}`);
        last = kv.modRevision;
      }
    },
    progress(revision) {
      if (revision < bookmark) report(`progress goes back from ${bookmark} to ${revision}`);
      if (revision < last) report(`progress to ${revision} comes after an event of revision ${last}`);
      if (revision > truth().revision) report(`progress to ${revision}, but only ${truth().revision} was reached`);
      if (revision < request.startRevision) {
        report(`progress to ${revision}, although the watch begins at ${request.startRevision}`);
      }
      bookmark = Math.max(bookmark, revision);
    },
  };
}
