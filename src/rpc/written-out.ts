import { Bug } from '../platform/errors.ts';
import { DELIMITED, delimitedSizeBytes, type ReverseWriter, VARINT, varintSizeBytes } from './wire.ts';

/**
 * Fields for encodings that are written out: those of messages of which a simulation sends or stores so many that asking
 * each field of their description takes too long. All write backwards, and nothing for a value that is zero or empty.
 * Sizes are with a tag of one byte, so field numbers stay below 16.
 */

/** How the values of one message type are encoded. */
export interface Encoding<T> {
  sizeBytes(message: T): number;
  writeTo(out: ReverseWriter, message: T): void;
}

/** A number that is never negative. */
export function numberSizeBytes(value: number): number {
  if (value === 0) return 0;
  if (!(value > 0 && Number.isSafeInteger(value))) throw new Bug(`${value} does not fit a field without a sign`);
  return 1 + varintSizeBytes(value);
}

export function writeNumber(out: ReverseWriter, number: number, value: number): void {
  if (value === 0) return;
  out.varint(value);
  out.tag(number, VARINT);
}

export function writeFlag(out: ReverseWriter, number: number, value: boolean): void {
  if (value) writeNumber(out, number, 1);
}

/** Writes bytes even if there are none. */
export function writePresentBytes(out: ReverseWriter, number: number, value: Uint8Array): void {
  out.raw(value);
  out.varint(value.length);
  out.tag(number, DELIMITED);
}

/** A message within a message, empty or not. */
export function nestedSizeBytes<T>(type: Encoding<T>, message: T): number {
  return 1 + delimitedSizeBytes(type.sizeBytes(message));
}

export function writeNested<T>(out: ReverseWriter, number: number, type: Encoding<T>, message: T): void {
  const end = out.at;
  type.writeTo(out, message);
  endDelimited(out, number, end);
}

/** Puts length and tag before what was written since the writer stood at `end`. */
export function endDelimited(out: ReverseWriter, number: number, end: number): void {
  out.varint(end - out.at);
  out.tag(number, DELIMITED);
}
