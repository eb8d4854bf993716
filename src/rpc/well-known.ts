import { bytes, int32, int64, string } from './fields.ts';
import { type MessageOf, message } from './message.ts';

/** google.protobuf.Empty */
export const Empty = message('google.protobuf.Empty', {});
export type Empty = MessageOf<typeof Empty>;

/** google.protobuf.Timestamp */
export const Timestamp = message('google.protobuf.Timestamp', { seconds: int64(1), nanos: int32(2) });
export type Timestamp = MessageOf<typeof Timestamp>;

/** google.protobuf.Duration */
export const Duration = message('google.protobuf.Duration', { seconds: int64(1), nanos: int32(2) });
export type Duration = MessageOf<typeof Duration>;

/** google.protobuf.Any */
export const Any = message('google.protobuf.Any', { typeUrl: string(1), value: bytes(2) });
export type Any = MessageOf<typeof Any>;

/** Splits microseconds as Timestamp and Duration carry them; parts of a negative duration are both negative. */
export function secondsAndNanos(timeUs: number): { readonly seconds: number; readonly nanos: number } {
  const seconds = Math.trunc(timeUs / 1_000_000);
  const nanos = (timeUs - seconds * 1_000_000) * 1_000;
  return { seconds: seconds === 0 ? 0 : seconds, nanos: nanos === 0 ? 0 : nanos };
}

/** Microseconds of a Timestamp or Duration; nanoseconds below one microsecond are cut off. */
export function microseconds(time: { readonly seconds: number; readonly nanos: number }): number {
  return time.seconds * 1_000_000 + Math.trunc(time.nanos / 1_000);
}
