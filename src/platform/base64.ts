/** Base64 (RFC 4648) over byte arrays. */

const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const URL_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const VALUES: readonly number[] = Object.freeze(buildValues());

function buildValues(): number[] {
  const values = new Array<number>(128).fill(-1);
  for (let i = 0; i < 64; i++) values[STANDARD.charCodeAt(i)] = i;
  return values;
}

/** Standard alphabet, with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return encodeWith(STANDARD, bytes);
}

/** URL and file-name safe alphabet, with padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeWith(URL_SAFE, bytes);
}

function encodeWith(alphabet: string, bytes: Uint8Array): string {
  let out = '';
  let i = 0;
  for (; i + 2 < bytes.length; i += 3) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!;
    out +=
      alphabet[group >>> 18]! + alphabet[(group >>> 12) & 63]! + alphabet[(group >>> 6) & 63]! + alphabet[group & 63]!;
  }
  if (i + 1 === bytes.length) {
    const group = bytes[i]! << 16;
    out += `${alphabet[group >>> 18]!}${alphabet[(group >>> 12) & 63]!}==`;
  } else if (i + 2 === bytes.length) {
    const group = (bytes[i]! << 16) | (bytes[i + 1]! << 8);
    out += `${alphabet[group >>> 18]!}${alphabet[(group >>> 12) & 63]!}${alphabet[(group >>> 6) & 63]!}=`;
  }
  return out;
}

/**
 * Decodes the standard alphabet with padding, as Go's `base64.StdEncoding` does: line breaks are skipped, everything
 * else that is not part of the alphabet, missing or wrong padding, is refused. Returns null when refused.
 */
export function decodeBase64(text: string): Uint8Array | null {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  let size = 0;
  let group = 0;
  let count = 0;
  let padding = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) continue;
    if (code === 61) {
      padding++;
      continue;
    }
    const value = code < 128 ? VALUES[code]! : -1;
    if (value < 0 || padding > 0) return null;
    group = ((group << 6) | value) & 0xffffff;
    if (++count === 4) {
      out[size++] = group >>> 16;
      out[size++] = (group >>> 8) & 0xff;
      out[size++] = group & 0xff;
      count = 0;
      group = 0;
    }
  }
  if (count === 0) return padding === 0 ? out.slice(0, size) : null;
  if (count + padding !== 4 || count === 1) return null;
  if (count === 2) {
    out[size++] = group >>> 4;
  } else {
    out[size++] = group >>> 10;
    out[size++] = (group >>> 2) & 0xff;
  }
  return out.slice(0, size);
}
