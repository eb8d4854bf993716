/** Times in certificates: seconds since the epoch to and from UTCTime and GeneralizedTime (RFC 5280, 4.1.2.5). */

import { utf8Decode, utf8Encode } from '../bytes.ts';
import { civilTime, unixSecondsOf } from '../calendar.ts';
import { twoDigits } from '../rfc3339.ts';
import { type DerReader, element, malformed, TAG } from './der.ts';

export function encodeTime(unixSec: number): Uint8Array {
  const time = civilTime(unixSec);
  const rest = [time.month, time.day, time.hour, time.minute, time.second].map(twoDigits).join('');
  if (time.year >= 1950 && time.year < 2050) {
    return element(TAG.utcTime, utf8Encode(`${twoDigits(time.year % 100)}${rest}Z`));
  }
  return element(TAG.generalizedTime, utf8Encode(`${String(time.year).padStart(4, '0')}${rest}Z`));
}

export function decodeTime(reader: DerReader): number {
  const { tag, content } = reader.next();
  const text = utf8Decode(content);
  const pattern =
    tag === TAG.utcTime
      ? /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/
      : /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
  const match = pattern.exec(text);
  if (match === null || (tag !== TAG.utcTime && tag !== TAG.generalizedTime)) throw malformed('time');
  const [year, ...rest] = match.slice(1) as [string, ...string[]];
  const century = tag !== TAG.utcTime ? '' : Number(year) < 50 ? '20' : '19';
  return unixSecondsOf([century + year, ...rest]);
}
