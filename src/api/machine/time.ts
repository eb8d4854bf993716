import { nested, string } from '../../rpc/fields.ts';
import { message } from '../../rpc/message.ts';
import { Timestamp } from '../../rpc/well-known.ts';
import { envelope, Metadata } from './common.ts';

/** Clocks of a machine and its time server (reference/lifecycle-api-cli.md E.3). */
export const TimeRequest = message('time.TimeRequest', { server: string(1) });
export const Time = message('time.Time', {
  metadata: nested(1, Metadata),
  server: string(2),
  localtime: nested(3, Timestamp),
  remotetime: nested(4, Timestamp),
});
export const TimeResponse = envelope('time.TimeResponse', Time);
