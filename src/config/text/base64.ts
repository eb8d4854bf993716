/** Base64 as Go's decoder complains of it. */
import { decodeBase64 } from '../../platform/base64.ts';

/** What is wrong with a base64 text; it names the first byte that does not fit. Undefined when it decodes. */
export function base64Problem(text: string): string | undefined {
  if (decodeBase64(text.replace(/[\r\n]/g, '')) !== null) {
    return undefined;
  }
  const wrong = text.search(/[^A-Za-z0-9+/\r\n]/);
  return `illegal base64 data at input byte ${wrong === -1 ? text.length - (text.length % 4) : wrong}`;
}

/** Number of decoded bytes; 0 for what does not decode. */
export function base64SizeBytes(text: string): number {
  return decodeBase64(text.replace(/[\r\n]/g, ''))?.length ?? 0;
}
