/** A range end that stands for "to the last key"; as a key, the first one there can be (reference/etcd.md A3). */
export const FIRST_KEY: Uint8Array = Uint8Array.of(0);

/** The end of the range of all keys that start with `prefix`; `\0` ("to the last key") when nothing comes after them. */
export function prefixEnd(prefix: Uint8Array): Uint8Array {
  for (let i = prefix.length - 1; i >= 0; i--) {
    if (prefix[i]! === 0xff) continue;
    const end = prefix.slice(0, i + 1);
    end[i] = end[i]! + 1;
    return end;
  }
  return FIRST_KEY;
}

/** Whether a range end means "to the last key". */
export function isOpenEnd(rangeEnd: Uint8Array): boolean {
  return rangeEnd.length === 1 && rangeEnd[0] === 0;
}
