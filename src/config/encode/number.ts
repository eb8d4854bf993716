/** Numbers as Go's yaml.v3 prints them. */

/** Integers plainly, other numbers in the shortest `%g` form with `.inf` and `.nan`. */
export function formatNumber(value: number | bigint): string {
  if (typeof value === 'bigint') {
    return String(value);
  }
  if (Number.isNaN(value)) {
    return '.nan';
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? '.inf' : '-.inf';
  }
  if (Number.isSafeInteger(value)) {
    return Object.is(value, -0) ? '-0' : String(value);
  }
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) {
    return String(value);
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(exponent < 0 ? -exponent : exponent).padStart(2, '0')}`;
}
