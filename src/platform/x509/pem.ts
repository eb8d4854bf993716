/** Privacy-enhanced mail blocks (RFC 7468). */

import { decodeBase64, encodeBase64 } from '../base64.ts';
import { CryptoError } from '../crypto.ts';

export interface PemBlock {
  readonly label: string;
  readonly content: Uint8Array;
}

/** One block, 64 characters a line, with a final line break: as Go's `pem.EncodeToMemory` prints it. */
export function encodePem(label: string, content: Uint8Array): string {
  const body = encodeBase64(content);
  let out = `-----BEGIN ${label}-----\n`;
  for (let i = 0; i < body.length; i += 64) out += `${body.slice(i, i + 64)}\n`;
  return `${out}-----END ${label}-----\n`;
}

/** All blocks in order; other text is ignored. Throws malformed-pem when there is none or one is damaged. */
export function decodePem(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let at = 0;
  for (;;) {
    const begin = text.indexOf('-----BEGIN ', at);
    if (begin < 0) break;
    const labelEnd = text.indexOf('-----', begin + 11);
    if (labelEnd < 0) throw new CryptoError('malformed-pem', 'PEM header is not closed');
    const label = text.slice(begin + 11, labelEnd);
    const footer = `-----END ${label}-----`;
    const end = text.indexOf(footer, labelEnd);
    if (end < 0) throw new CryptoError('malformed-pem', `PEM block ${label} has no end`);
    blocks.push({ label, content: decodeBody(label, text.slice(labelEnd + 5, end)) });
    at = end + footer.length;
  }
  if (blocks.length === 0) throw new CryptoError('malformed-pem', 'failed to find any PEM data in certificate input');
  return blocks;
}

/** Header lines (`Proc-Type: …`) stand before an empty line. */
function decodeBody(label: string, body: string): Uint8Array {
  const payload = body.includes(':') ? body.slice(body.search(/\r?\n[ \t]*\r?\n/)) : body;
  const content = decodeBase64(payload.replace(/[ \t]/g, ''));
  if (content === null) throw new CryptoError('malformed-pem', `PEM block ${label} is not valid base64`);
  return content;
}
