/** Custom scalars of the machine config: how their text is read, and how it is written back. */
import { formatDuration, parseDuration } from '../../platform/text/duration.ts';
import { formatBytes, parseBytes } from '../../platform/text/humanize.ts';
import { base64Problem } from '../text/base64.ts';
import { normalizeUrl } from '../text/url.ts';
import type { TextCodec, TextResult } from './types.ts';

const isEmpty = (value: string | number | bigint): boolean => value === '';

/** Go `time.Duration`; canonical text is Go's, zero is not held. */
export const durationCodec: TextCodec = Object.freeze({
  name: 'duration such as 90s, 1h30m',
  goType: 'time.Duration',
  via: 'duration' as const,
  decode: (text: string): TextResult => {
    const parsed = parseDuration(text);
    return typeof parsed === 'string' ? { error: parsed } : { value: formatDuration(parsed) };
  },
  isZero: (value: string | number | bigint) => value === '0s',
});

/** The `Endpoint` type: a URL as Go's `url.Parse` takes it. An empty one is a present, empty URL. */
export const endpointCodec: TextCodec = Object.freeze({
  name: 'URL',
  goType: 'v1alpha1.Endpoint',
  via: 'string' as const,
  decode: normalizeUrl,
  isZero: () => false,
});

/** Base64 of bytes; line breaks inside are dropped, as Go's decoder does. */
export const base64Codec: TextCodec = Object.freeze({
  name: 'base64',
  goType: 'string',
  via: 'string' as const,
  decode: (text: string): TextResult => {
    const packed = text.replace(/[\r\n]/g, '');
    const problem = base64Problem(packed);
    return problem === undefined ? { value: packed } : { error: problem };
  },
  isZero: isEmpty,
});

/** Partition size of `machine.disks`: bytes or a human string; written as a human string where that is exact. */
export const diskSizeCodec: TextCodec = Object.freeze({
  name: 'size in bytes or with a unit, e.g. 100GB',
  goType: 'v1alpha1.DiskSize',
  via: 'string' as const,
  decode: (text: string): TextResult => {
    const bytes = parseBytes(text);
    if (typeof bytes === 'string') {
      return { error: bytes };
    }
    const human = bytes % 1000n === 0n ? formatBytes(bytes) : undefined;
    if (human !== undefined && parseBytes(human) === bytes) {
      return { value: human };
    }
    return { value: bytes <= 9007199254740991n ? Number(bytes) : bytes };
  },
  isZero: (value: string | number | bigint) => value === '0 B' || value === 0,
});

const SIZE_CONDITION = /^(>=|<=|>|<|==)?(.*)$/;

/** `install.diskSelector.size`: a comparison and a size; the text is kept. */
export const sizeMatcherCodec: TextCodec = Object.freeze({
  name: 'comparison and size, e.g. ">= 100GB"',
  goType: 'v1alpha1.InstallDiskSizeMatcher',
  via: 'string' as const,
  decode: (text: string): TextResult => {
    const trimmed = text.trim();
    const match = SIZE_CONDITION.exec(trimmed);
    const size = match?.[2] ?? '';
    const bytes = match === null ? 'bad condition' : parseBytes(size.trim());
    return typeof bytes === 'string' ? { error: `failed to parse disk size ${size}: ${bytes}` } : { value: trimmed };
  },
  isZero: () => false,
});

/** Inline manifest text: leading blank lines and tabs are dropped (reference E.11). */
export const manifestCodec: TextCodec = Object.freeze({
  name: 'text',
  goType: 'string',
  via: 'string' as const,
  decode: (text: string): TextResult => ({ value: text.replace(/^[\t\n\v\f\r]+/, '') }),
  isZero: isEmpty,
});
