/** Days of the proleptic Gregorian calendar in UTC, counted from 1970-01-01, in eras of 400 years. */

export interface CivilDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface CivilTime extends CivilDate {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const SECONDS_A_DAY = 86_400;
/** From 0000-03-01, where an era starts, to 1970-01-01. */
const ERA_TO_EPOCH_DAYS = 719_468;
const DAYS_AN_ERA = 146_097;

/** Date and time of day of a Unix time in whole seconds; there are no leap seconds. */
export function civilTime(unixSec: number): CivilTime {
  const days = Math.floor(unixSec / SECONDS_A_DAY);
  const rest = unixSec - days * SECONDS_A_DAY;
  const { year, month, day } = civilDate(days);
  return {
    year,
    month,
    day,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: Math.floor(rest % 60),
  };
}

/** Unix time in seconds of year, month, day, hour, minute and second in digits, in this order. */
export function unixSecondsOf(digits: readonly string[]): number {
  const [year, month, day, hour, minute, second] = digits.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return unixSeconds({ year, month, day, hour, minute, second });
}

/** Unix time in seconds of a date and time of day. */
export function unixSeconds(time: CivilTime): number {
  return daysOf(time) * SECONDS_A_DAY + time.hour * 3600 + time.minute * 60 + time.second;
}

function civilDate(days: number): CivilDate {
  const shifted = days + ERA_TO_EPOCH_DAYS;
  const era = Math.floor(shifted / DAYS_AN_ERA);
  const dayOfEra = shifted - era * DAYS_AN_ERA;
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
  };
}

function daysOf({ year, month, day }: CivilDate): number {
  const shiftedYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const monthIndex = month > 2 ? month - 3 : month + 9;
  const dayOfYear = Math.floor((153 * monthIndex + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_AN_ERA + dayOfEra - ERA_TO_EPOCH_DAYS;
}
