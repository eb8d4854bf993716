import { parseBool } from '../../../platform/text/boolean.ts';
import { parseDurationUs } from '../../../platform/text/duration.ts';
import { parseInteger } from '../../../platform/text/integer.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { FEATURE_GATES, type FlagSpec } from './flag-table.ts';
import { parseUrls } from './urls.ts';

/** Why a flag cannot take a value, in the words of Go and etcd; null when it can. */
export function valueProblem(spec: FlagSpec, value: string): string | null {
  if (spec.choices !== undefined && !spec.choices.includes(value)) return 'invalid value';
  switch (spec.kind) {
    case 'text':
    case 'ignored':
      return null;
    case 'bool':
      return parseBool(value) === null ? 'parse error' : null;
    case 'duration':
      return parseDurationUs(value) === undefined ? 'parse error' : null;
    case 'int':
    case 'uint': {
      const number = parseInteger(value, spec.kind);
      return typeof number === 'bigint' ? null : number === 'invalid syntax' ? 'parse error' : number;
    }
    case 'uint32': {
      const number = parseInteger(value, 'uint32');
      return typeof number === 'bigint' ? null : `strconv.ParseUint: parsing ${goQuote(value)}: ${number}`;
    }
    case 'urls':
    case 'origins':
      return urlsProblem(value, spec.kind === 'origins');
    case 'gates':
      return gatesProblem(value);
  }
}

/** An empty list keeps the one by default. */
function urlsProblem(value: string, mayBeAny: boolean): string | null {
  if (value === '' || (mayBeAny && value === '*')) return null;
  const urls = parseUrls(value);
  return typeof urls === 'string' ? urls : null;
}

function gatesProblem(value: string): string | null {
  for (const [name, setting] of gateParts(value)) {
    if (setting === undefined) return `missing bool value for ${name}`;
    if (parseBool(setting) === null) {
      return `invalid value of ${name}=${setting}, err: strconv.ParseBool: parsing ${goQuote(setting)}: invalid syntax`;
    }
  }
  for (const [name] of gateParts(value)) {
    if (!Object.hasOwn(FEATURE_GATES, name)) return `unrecognized feature gate: ${name}`;
  }
  return null;
}

/** `A=true,B=false` as pairs; the setting is missing where there is no sign of equality. */
export function gateParts(value: string): readonly (readonly [string, string | undefined])[] {
  return value
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const cut = part.indexOf('=');
      return cut < 0 ? [part.trim(), undefined] : [part.slice(0, cut).trim(), part.slice(cut + 1).trim()];
    });
}
