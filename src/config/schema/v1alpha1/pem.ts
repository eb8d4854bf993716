/** Certificate and key pairs as they stand in configs: base64 of PEM. */
import { field, struct, text } from '../build.ts';
import { base64Codec } from '../codecs.ts';
import type { StructSpec } from '../types.ts';

const crt = field('crt', text(base64Codec), 'Certificate: base64 of PEM.', { print: 'always' });
const key = field('key', text(base64Codec), 'Private key: base64 of PEM.', { print: 'always', secret: true });

export const certificateAndKey: StructSpec = struct('x509.PEMEncodedCertificateAndKey', [crt, key]);
export const certificate: StructSpec = struct('x509.PEMEncodedCertificate', [crt]);
export const privateKey: StructSpec = struct('x509.PEMEncodedKey', [key]);
