/** From which Kubernetes version to which, as the tool writes them: without `v`. */
export interface UpgradePath {
  readonly from: string;
  readonly to: string;
  /** `1.33->1.34` */
  readonly minors: string;
  readonly supported: boolean;
}

const OLDEST_MINOR = 19;
const NEWEST_MINOR = 34;
const PARTS = ['major', 'minor', 'patch'] as const;

/** The way between two versions, or what is wrong with one: the same minor or the next (reference/v1.11.3.md 1, 14). */
export function upgradePath(from: string, to: string): UpgradePath | string {
  const [first, last] = [from, to].map((text) => text.replace(/^v+/, ''));
  const start = minorOf(first!);
  if (typeof start === 'string') return `error parsing from version: ${start}`;
  const end = minorOf(last!);
  if (typeof end === 'string') return `error parsing to version: ${end}`;
  const inRange = start.minor >= OLDEST_MINOR && end.minor <= NEWEST_MINOR;
  const step = end.minor - start.minor;
  return {
    from: first!,
    to: last!,
    minors: `${start.major}.${start.minor}->${end.major}.${end.minor}`,
    supported: start.major === 1 && end.major === 1 && inRange && (step === 0 || step === 1),
  };
}

/** Parts that are left out are 0. */
function minorOf(text: string): { readonly major: number; readonly minor: number } | string {
  const core = text.trim().replace(/[-+].*$/, '');
  const numbers = core.split('.');
  for (const [index, part] of numbers.slice(0, PARTS.length).entries())
    if (!/^\d+$/.test(part)) return `Invalid character(s) found in ${PARTS[index]!} number "${part}"`;
  return { major: Number(numbers[0]), minor: Number(numbers[1] ?? '0') };
}
