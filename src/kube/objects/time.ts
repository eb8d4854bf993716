const DAY_US = 86_400_000_000;

/** RFC 3339 in UTC from microseconds since the epoch; with `fraction` six digits of it, as leases carry. */
export function rfc3339(timeUs: number, fraction = false): string {
  const days = Math.floor(timeUs / DAY_US);
  const restUs = timeUs - days * DAY_US;
  const { year, month, day } = civil(days);
  const seconds = Math.floor(restUs / 1_000_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const micros = fraction ? `.${String(restUs % 1_000_000).padStart(6, '0')}` : '';
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}${micros}Z`;
}

/** Microseconds since the epoch of an RFC 3339 text in UTC; undefined when it is not one. */
export function parseRfc3339(text: string): number | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const micros = Number((parts[7] ?? '').padEnd(6, '0').slice(0, 6));
  return daysFromCivil(year, month, day) * DAY_US + (hour * 3600 + minute * 60 + second) * 1_000_000 + micros;
}

/** Date of a day number since 1970-01-01 (proleptic Gregorian, eras of 400 years). */
function civil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

function daysFromCivil(year: number, month: number, day: number): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
