/** Times in certificates: seconds since the epoch to and from UTCTime and GeneralizedTime (RFC 5280, 4.1.2.5). */

import { utf8Decode, utf8Encode } from '../bytes.ts';
import { type DerReader, element, malformed, TAG } from './der.ts';

const SECONDS_A_DAY = 86_400;

interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Proleptic Gregorian calendar, UTC, without leap seconds. */
export function civilTime(unixSec: number): CivilTime {
  const days = Math.floor(unixSec / SECONDS_A_DAY);
  const rest = unixSec - days * SECONDS_A_DAY;
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthIndex = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthIndex + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: Math.floor(rest % 60),
  };
}

/** Days since the epoch of a civil date. */
function daysOf(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const monthIndex = month > 2 ? month - 3 : month + 9;
  const dayOfYear = Math.floor((153 * monthIndex + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

export function encodeTime(unixSec: number): Uint8Array {
  const time = civilTime(unixSec);
  const rest = [time.month, time.day, time.hour, time.minute, time.second].map(twoDigits).join('');
  if (time.year >= 1950 && time.year < 2050) {
    return element(TAG.utcTime, utf8Encode(`${twoDigits(time.year % 100)}${rest}Z`));
  }
  return element(TAG.generalizedTime, utf8Encode(`${String(time.year).padStart(4, '0')}${rest}Z`));
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
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
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fullYear = tag === TAG.utcTime ? (year < 50 ? 2000 + year : 1900 + year) : year;
  return daysOf(fullYear, month, day) * SECONDS_A_DAY + hour * 3600 + minute * 60 + second;
}

/** `2026-08-01T12:00:00Z`, as Go prints times in certificate errors. */
export function rfc3339(unixSec: number): string {
  const time = civilTime(unixSec);
  const date = `${String(time.year).padStart(4, '0')}-${twoDigits(time.month)}-${twoDigits(time.day)}`;
  return `${date}T${twoDigits(time.hour)}:${twoDigits(time.minute)}:${twoDigits(time.second)}Z`;
}
