import { Bug } from '../../platform/errors.ts';
import type { Segment } from '../../platform/net.ts';
import type { WireObject } from '../../rpc/http/message.ts';

/** Bytes of a segment: an object must know how to render itself, since a real connection carries nothing else. */
export function segmentBytes(segment: Segment): Uint8Array {
  if (segment instanceof Uint8Array) return segment;
  const object = segment.object as Partial<WireObject> | null;
  if (typeof object?.renderBytes !== 'function') throw new Bug('an object without a wire form on a real connection');
  return object.renderBytes();
}
