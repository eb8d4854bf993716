/** IPv4 text as an unsigned 32-bit number; undefined when it is not an address. */
export function parseIpv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (parts === null) return undefined;
  let value = 0;
  for (let i = 1; i <= 4; i++) {
    const octet = Number(parts[i]);
    if (octet > 255 || (parts[i]!.length > 1 && parts[i]!.startsWith('0'))) return undefined;
    value = value * 256 + octet;
  }
  return value;
}

export interface Cidr {
  readonly base: number;
  readonly prefixLength: number;
}

/** `10.0.0.0/24`; undefined when it is not an IPv4 prefix. */
export function parseCidr(text: string): Cidr | undefined {
  const cut = text.indexOf('/');
  if (cut < 0) return undefined;
  const base = parseIpv4(text.slice(0, cut));
  const length = text.slice(cut + 1);
  if (base === undefined || !/^\d{1,2}$/.test(length) || Number(length) > 32) return undefined;
  return { base, prefixLength: Number(length) };
}

export function cidrContains(cidr: Cidr, address: number): boolean {
  if (cidr.prefixLength === 0) return true;
  const shift = 32 - cidr.prefixLength;
  return address >>> shift === cidr.base >>> shift;
}
