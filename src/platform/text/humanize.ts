/** Byte sizes as text, in the forms the `go-humanize` library reads and prints. */
import { goQuote } from './quote.ts';

const UNITS: Readonly<Record<string, bigint>> = Object.freeze(
  Object.assign(Object.create(null), {
    '': 1n,
    b: 1n,
    k: 1_000n,
    kb: 1_000n,
    ki: 1_024n,
    kib: 1_024n,
    m: 1_000_000n,
    mb: 1_000_000n,
    mi: 1_048_576n,
    mib: 1_048_576n,
    g: 1_000_000_000n,
    gb: 1_000_000_000n,
    gi: 1_073_741_824n,
    gib: 1_073_741_824n,
    t: 1_000_000_000_000n,
    tb: 1_000_000_000_000n,
    ti: 1_099_511_627_776n,
    tib: 1_099_511_627_776n,
    p: 1_000_000_000_000_000n,
    pb: 1_000_000_000_000_000n,
    pi: 1_125_899_906_842_624n,
    pib: 1_125_899_906_842_624n,
    e: 1_000_000_000_000_000_000n,
    eb: 1_000_000_000_000_000_000n,
    ei: 1_152_921_504_606_846_976n,
    eib: 1_152_921_504_606_846_976n,
  }),
);

const MAX_UINT64 = 18446744073709551615n;
const NAMES = Object.freeze(['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']);

/** Bytes of `10GiB`, `1,024`, `1.5 TB`; or what is wrong, in the library's words. */
export function parseBytes(text: string): bigint | string {
  const digits = /^[0-9.,]*/.exec(text)![0];
  const number = digits.replaceAll(',', '');
  if (!/^([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(number)) {
    return `strconv.ParseFloat: parsing ${goQuote(number)}: invalid syntax`;
  }
  const unit = text.slice(digits.length).trim().toLowerCase();
  const scale = UNITS[unit];
  if (scale === undefined) {
    return `unhandled size name: ${unit}`;
  }
  const [whole, fraction = ''] = number.split('.');
  const kept = fraction.slice(0, 30);
  const power = BigInt(`1${'0'.repeat(kept.length)}`);
  const bytes = (BigInt(`${whole}${kept}`) * scale) / power;
  return bytes >= MAX_UINT64 ? `too large: ${text}` : bytes;
}

/** Short decimal form, `100 GB`; one decimal below ten of a unit. Halves of a unit go to the even side, as in Go's `%.0f`. */
export function formatBytes(size: bigint | number): string {
  const bytes = BigInt(size);
  if (bytes < 10n) return `${bytes} B`;
  let exponent = 0;
  let scale = 1n;
  while (bytes >= scale * 1000n && exponent < NAMES.length - 1) {
    scale *= 1000n;
    exponent += 1;
  }
  const tenths = (bytes * 10n + scale / 2n) / scale;
  const [whole, tenth] = [tenths / 10n, tenths % 10n];
  if (whole < 10n) return `${whole}.${tenth} ${NAMES[exponent]}`;
  const isUp = tenth > 5n || (tenth === 5n && whole % 2n === 1n);
  return `${isUp ? whole + 1n : whole} ${NAMES[exponent]}`;
}
