import { bytes } from '../../rpc/fields.ts';
import { type MessageOf, message } from '../../rpc/message.ts';
import { service, unary } from '../../rpc/service.ts';

/** trustd: signs server certificates of machines that do not have the key of the Talos API authority. */

export const CertificateRequest = message('securityapi.CertificateRequest', {
  /** A signing request, PEM. */
  csr: bytes(1),
});
export type CertificateRequest = MessageOf<typeof CertificateRequest>;

export const CertificateResponse = message('securityapi.CertificateResponse', {
  ca: bytes(1),
  crt: bytes(2),
});
export type CertificateResponse = MessageOf<typeof CertificateResponse>;

export const SecurityService = service('securityapi.SecurityService', {
  Certificate: unary(CertificateRequest, CertificateResponse),
});
