/** A segment's place in the log: its number, and the index of the first entry it may hold. */
export interface SegmentName {
  readonly sequence: number;
  readonly index: number;
}

/** As etcd names segment files: two sixteen-digit hexadecimal numbers. */
export function segmentFile(name: SegmentName): string {
  return `${hex16(name.sequence)}-${hex16(name.index)}.wal`;
}

/** Parses a file name; null when it is no segment's. */
export function parseSegmentFile(file: string): SegmentName | null {
  const match = /^([0-9a-f]{16})-([0-9a-f]{16})\.wal$/.exec(file);
  if (match === null) return null;
  return { sequence: Number.parseInt(match[1]!, 16), index: Number.parseInt(match[2]!, 16) };
}

export function hex16(value: number): string {
  return value.toString(16).padStart(16, '0');
}
