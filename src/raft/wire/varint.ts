/**
 * The protobuf primitives that Raft's messages need. Unsigned 64-bit numbers come as sixteen hexadecimal digits
 * where all bits count (ids), else as safe integers (terms, indexes, sizes).
 */

const TWO_32 = 0x100000000;

export class WireWriter {
  private readonly bytes: number[] = [];

  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.bytes.push((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.bytes.push(rest);
  }

  /** Sixteen hexadecimal digits as a varint. */
  varint64(hex: string): void {
    let high = Number.parseInt(hex.slice(0, 8), 16);
    let low = Number.parseInt(hex.slice(8), 16);
    while (high > 0 || low >= 0x80) {
      this.bytes.push((low & 0x7f) | 0x80);
      low = (low >>> 7) + (high % 0x80) * 0x2000000;
      high = Math.floor(high / 0x80);
    }
    this.bytes.push(low);
  }

  numberField(field: number, value: number): void {
    this.bytes.push(field << 3);
    this.varint(value);
  }

  idField(field: number, hex: string): void {
    this.bytes.push(field << 3);
    this.varint64(hex);
  }

  bytesField(field: number, value: Uint8Array): void {
    this.bytes.push((field << 3) | 2);
    this.varint(value.length);
    for (const byte of value) this.bytes.push(byte);
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

/** Thrown inside a decoder, which turns it into its own error. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

export class WireReader {
  private readonly bytes: Uint8Array;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  /** The next varint as [high 32 bits, low 32 bits]. */
  private pair(): readonly [number, number] {
    let high = 0;
    let low = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new WireError('unexpected EOF');
      const part = byte & 0x7f;
      if (shift < 28) low += part << shift;
      else if (shift === 28) {
        low += (part & 0x0f) * 0x10000000;
        high = part >> 4;
      } else if (shift < 63) high += part * (1 << (shift - 32));
      else if (part <= 1) high += part * 0x80000000;
      else break;
      if (byte < 0x80) return [high, low];
    }
    throw new WireError('proto: integer overflow');
  }

  /** A varint that must be a safe integer. */
  number(): number {
    const [high, low] = this.pair();
    const value = high * TWO_32 + low;
    if (!Number.isSafeInteger(value)) throw new WireError('number above the safe integers');
    return value;
  }

  /** A varint as sixteen hexadecimal digits. */
  id(): string {
    const [high, low] = this.pair();
    return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
  }

  /** Field number and wire type of the next field. */
  tag(): { readonly field: number; readonly wireType: number } {
    const tag = this.number();
    if (tag < 8) throw new WireError('proto: illegal tag 0');
    return { field: Math.floor(tag / 8), wireType: tag % 8 };
  }

  bytesValue(): Uint8Array {
    return this.take(this.number());
  }

  private take(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw new WireError('unexpected EOF');
    const value = this.bytes.slice(this.at, this.at + length);
    this.at += length;
    return value;
  }

  skip(wireType: number): void {
    if (wireType === 0) this.pair();
    else if (wireType === 1) this.take(8);
    else if (wireType === 2) this.bytesValue();
    else if (wireType === 5) this.take(4);
    else throw new WireError(`proto: illegal wireType ${wireType}`);
  }
}
