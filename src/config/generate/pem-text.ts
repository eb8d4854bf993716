/** PEM texts inside YAML: base64 of their bytes. */

import { decodeBase64, encodeBase64 } from '../../platform/base64.ts';
import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';

export function pemToBase64(pem: string): string {
  return encodeBase64(utf8Encode(pem));
}

/** The PEM text, or null when the text is not base64. */
export function pemOfBase64(text: string): string | null {
  const bytes = decodeBase64(text);
  return bytes === null ? null : utf8Decode(bytes);
}
