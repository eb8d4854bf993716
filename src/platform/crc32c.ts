/** CRC-32 with the Castagnoli polynomial (0x1EDC6F41, reflected 0x82F63B78): the sum etcd keeps over WAL records and snapshots. */

const POLYNOMIAL = 0x82f63b78;

const TABLE: readonly number[] = Object.freeze(buildTable());

function buildTable(): number[] {
  const table: number[] = [];
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table.push(crc | 0);
  }
  return table;
}

/**
 * CRC-32C of `data` as an unsigned 32-bit integer. `previous` continues a running sum, so that
 * `crc32c(b, crc32c(a))` equals the sum over a followed by b.
 */
export function crc32c(data: Uint8Array, previous = 0): number {
  let crc = ~previous;
  for (let i = 0; i < data.length; i++) crc = TABLE[(crc ^ data[i]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
