import type { Segment } from '../../platform/net.ts';
import type { Due } from '../deps.ts';
import type { Path } from '../path.ts';
import type { SendSide } from './send-side.ts';

/** Not acknowledged yet, as far as can be told. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * One segment from `send()` until it is acknowledged. On a healthy path it is also its own entry in the event queue:
 * the only thing that is made per segment, and the only event.
 */
export class Outgoing implements Due {
  readonly side: SendSide;
  readonly seq: number;
  /** Undefined for the FIN. */
  readonly segment: Segment | undefined;
  /** What was sent after it in the same instant, and travels with it. */
  rest: Segment[] | undefined;
  sizeBytes: number;
  firstSentAtUs = -1;
  sentAtUs = -1;
  /** When the acknowledgement reaches the sender; known from the moment of delivery when the way back is healthy. */
  ackedAtUs = NEVER;
  /** Version of the network when it was sent: if that is still the same on arrival, nothing can have gone wrong. */
  networkVersion = -1;
  path: Path | undefined;

  constructor(side: SendSide, seq: number, segment: Segment | undefined, sizeBytes: number) {
    this.side = side;
    this.seq = seq;
    this.segment = segment;
    this.sizeBytes = sizeBytes;
  }

  /** Takes one more segment along. */
  join(segment: Segment, sizeBytes: number): void {
    if (this.rest === undefined) this.rest = [segment];
    else this.rest.push(segment);
    this.sizeBytes += sizeBytes;
  }

  get owner(): string {
    return this.side.socket.describe();
  }

  fire(): void {
    this.side.arrived(this);
  }
}
