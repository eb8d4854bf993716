/** Internet addresses as text and bytes. */

/** 4 or 16 bytes of an IP address, or null when the text is none. IPv6 zones are not accepted. */
export function ipBytes(text: string): Uint8Array | null {
  return text.includes(':') ? ipv6Bytes(text) : ipv4Bytes(text);
}

const ZERO = 48;
const NINE = 57;

/** Without a regular expression: every connection that is dialled comes by here. */
function ipv4Bytes(text: string): Uint8Array | null {
  const out = new Uint8Array(4);
  let at = 0;
  for (let i = 0; i < 4; i++) {
    if (i > 0 && text[at++] !== '.') return null;
    const from = at;
    let value = 0;
    for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(++at)) {
      value = value * 10 + code - ZERO;
    }
    const padded = at - from > 1 && text[from] === '0';
    if (at === from || at - from > 3 || padded || value > 255) return null;
    out[i] = value;
  }
  return at === text.length ? out : null;
}

function ipv6Bytes(text: string): Uint8Array | null {
  let body = text;
  let tail: Uint8Array | null = null;
  const lastColon = text.lastIndexOf(':');
  if (text.includes('.')) {
    tail = ipv4Bytes(text.slice(lastColon + 1));
    if (tail === null) return null;
    body = `${text.slice(0, lastColon + 1)}0:0`;
  }
  const halves = body.split('::');
  if (halves.length > 2) return null;
  const head = halves[0] === '' ? [] : halves[0]!.split(':');
  const rest = halves.length === 1 || halves[1] === '' ? [] : halves[1]!.split(':');
  const missing = 8 - head.length - rest.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...new Array<string>(missing).fill('0'), ...rest];
  const out = new Uint8Array(16);
  for (let i = 0; i < 8; i++) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(groups[i]!)) return null;
    const value = Number.parseInt(groups[i]!, 16);
    out[i * 2] = value >>> 8;
    out[i * 2 + 1] = value & 0xff;
  }
  if (tail !== null) out.set(tail, 12);
  return out;
}

/** Canonical text of 4 or 16 address bytes; IPv6 after RFC 5952, IPv4-mapped addresses as IPv4 (as Go's `net.IP` prints them). */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (isMappedIpv4(bytes)) return bytes.subarray(12).join('.');
  const groups: number[] = [];
  for (let i = 0; i < 8; i++) groups.push((bytes[i * 2]! << 8) | bytes[i * 2 + 1]!);
  const { start, size } = longestZeroRun(groups);
  if (size < 2) return groups.map((group) => group.toString(16)).join(':');
  const head = groups.slice(0, start).map((group) => group.toString(16));
  const tail = groups.slice(start + size).map((group) => group.toString(16));
  return `${head.join(':')}::${tail.join(':')}`;
}

function isMappedIpv4(bytes: Uint8Array): boolean {
  for (let i = 0; i < 10; i++) if (bytes[i] !== 0) return false;
  return bytes[10] === 0xff && bytes[11] === 0xff;
}

function longestZeroRun(groups: readonly number[]): { start: number; size: number } {
  let best = { start: 0, size: 0 };
  for (let start = 0; start < groups.length; start++) {
    let size = 0;
    while (start + size < groups.length && groups[start + size] === 0) size++;
    if (size > best.size) best = { start, size };
  }
  return best;
}
