import { bytes } from '../../rpc/fields.ts';
import { message } from '../../rpc/message.ts';

/** trustd signs what workers ask for (reference/lifecycle-api-cli.md E.3, E.9). PEM. */
export const CertificateRequest = message('securityapi.CertificateRequest', { csr: bytes(1) });
export const CertificateResponse = message('securityapi.CertificateResponse', { ca: bytes(1), crt: bytes(2) });
