const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Five low bits of which this is the upper four have no sixth bit beside them: 62 letters are two short of 64. */
const COMPACT = 0x1e;
const FIVE_BITS = 0x1f;

/**
 * Bytes as letters and digits, as node identities are written (reference/network-config.md C.1, F.2): six bits for each
 * character, lowest first, of the bytes as one big-endian number; values that have no character give up their sixth bit.
 */
export function encodeBase62(bytes: Uint8Array): string {
  let text = '';
  for (let left = bytes.length * 8; left > 0; ) {
    const taken = Math.min(6, left);
    let value = bitsAt(bytes, left - taken, taken);
    left -= taken;
    if ((value & COMPACT) === COMPACT) {
      if (taken === 6 && (left > 0 || value > FIVE_BITS)) left++;
      value &= FIVE_BITS;
    }
    text += ALPHABET[value];
  }
  return text;
}

/** The last `sizeBytes` bytes of what `text` stands for; characters outside of the alphabet count as zero. */
export function decodeBase62(text: string, sizeBytes: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  let at = sizeBytes;
  let pending = 0;
  let bits = 0;
  for (let i = 0; i < text.length && at > 0; i++) {
    const value = Math.max(0, ALPHABET.indexOf(text[i]!));
    pending |= value << bits;
    bits += i < text.length - 1 && (value & COMPACT) === COMPACT ? 5 : 6;
    if (bits < 8) continue;
    bytes[--at] = pending & 255;
    pending >>= 8;
    bits -= 8;
  }
  if (bits > 0 && at > 0) bytes[--at] = pending & 255;
  return bytes;
}

/** `count` bits that begin at bit `from`, the highest bit of the first byte being number 0. */
function bitsAt(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let bit = from; bit < from + count; bit++) value = (value << 1) | ((bytes[bit >> 3]! >> (7 - (bit & 7))) & 1);
  return value;
}
