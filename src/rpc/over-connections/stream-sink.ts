import type { Metadata, StatusName } from '../../platform/rpc.ts';
import type { Payload } from './payload.ts';

/** What a client call hears of its stream. */
export interface StreamSink {
  onMessage(payload: Payload): void;
  /** A message and the end with OK in one. */
  onReply(payload: Payload): void;
  /** The end. The transport has forgotten the stream. */
  onStatus(status: StatusName, message: string, metadata: Metadata): void;
  onCredit(bytes: number): void;
}
