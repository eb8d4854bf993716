/** Sixteen hexadecimal digits as the decimal number that Go prints. */
export function decimalId(hex: string): string {
  return BigInt(`0x${hex}`).toString();
}
