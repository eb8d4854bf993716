import { type Event, EventType } from '../../../../api/etcd/kv.ts';
import { describe, valueDifference } from '../model/difference.ts';
import type { Version } from '../model/key-space.ts';
import { typeName, type WatchChecker, type Watched, type WatchGuarantee, wants } from './watch-checker.ts';

/** Every change that a watch wants is told, as it was, and nothing that never happened. */
export const RELIABLE: WatchGuarantee = Object.freeze({ name: 'watch: reliable', make: reliable });

function reliable(about: Watched): WatchChecker {
  /** Everything up to here was told. Undefined: where the watch begins is not known yet. */
  let told: number | undefined = about.request.startRevision > 0 ? about.request.startRevision - 1 : undefined;
  const expected = (upTo: number): readonly Version[] => {
    const changes: Version[] = [];
    about.truth().keys.eachChange(told! + 1, upTo, (change) => {
      if (wants(about, change)) changes.push(change);
    });
    return changes;
  };
  const isKnown = (): boolean => told !== undefined && told + 1 >= about.truth().keys.oldest;
  const missed = (upTo: number, when: string): void => {
    if (!isKnown()) return;
    const [lost] = expected(upTo);
    if (lost !== undefined) about.report(`${describe(lost)} of revision ${lost.modRevision} was not told ${when}`);
  };
  return {
    created(revision) {
      told ??= revision;
    },
    events({ events }) {
      const first = events[0]?.kv.modRevision;
      const last = events[events.length - 1]?.kv.modRevision;
      if (first === undefined || last === undefined) return;
      // Resumed before its first event, a watch may be told of the revision at which it began (reference/etcd.md E5).
      if (told === undefined || first === told) told = first - 1;
      if (isKnown()) compare(expected(last), events, about.report);
      told = Math.max(told, last);
    },
    progress(revision) {
      missed(revision, `before progress to ${revision}`);
      told = Math.max(told ?? 0, revision);
    },
    finish() {
      missed(about.truth().revision, 'at all');
    },
  };
}

/** What should have come against what came. */
function compare(wanted: readonly Version[], events: readonly Event[], report: (detail: string) => void): void {
  for (let i = 0; i < wanted.length; i++) {
    const change = wanted[i]!;
    const event = events[i];
    if (event === undefined || event.kv.modRevision > change.modRevision) {
      report(`${describe(change)} of revision ${change.modRevision} was left out`);
      return;
    }
    const type = change.version === 0 ? EventType.Delete : EventType.Put;
    const found = event.type === type ? valueDifference('the change', change, event.kv) : `is a ${typeName(event)}`;
    if (found !== null) {
      report(`an event of revision ${event.kv.modRevision} ${found}`);
      return;
    }
  }
  const extra = events[wanted.length];
  if (extra !== undefined) report(`${describe(extra.kv)} of revision ${extra.kv.modRevision} did not happen`);
}
