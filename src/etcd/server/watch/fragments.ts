import { type Event, Event as EventType } from '../../../api/etcd/kv.ts';
import { WatchResponse } from '../../../api/etcd/watch.ts';

/**
 * Cuts an answer between events so that each piece stays below `limitBytes`; all but the last are marked. An event that
 * is larger alone stays whole (reference/etcd.md A8).
 */
export function fragmentsOf(response: WatchResponse, limitBytes: number): readonly WatchResponse[] {
  if (response.events.length < 2 || WatchResponse.sizeBytes(response) < limitBytes) return [response];
  const frameBytes = WatchResponse.sizeBytes({ ...response, events: [], fragment: true });
  const pieces: Event[][] = [[]];
  let size = frameBytes;
  for (const event of response.events) {
    const eventBytes = EventType.sizeBytes(event) + 6;
    const piece = pieces[pieces.length - 1]!;
    if (piece.length > 0 && size + eventBytes >= limitBytes) {
      pieces.push([event]);
      size = frameBytes + eventBytes;
    } else {
      piece.push(event);
      size += eventBytes;
    }
  }
  return pieces.map((events, i) => ({ ...response, events, fragment: i < pieces.length - 1 }));
}
