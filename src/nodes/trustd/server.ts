import { type CertificateRequest, SecurityService } from '../../api/os/security.ts';
import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { CryptoError, keyPairFromPem } from '../../platform/crypto.ts';
import type { Platform } from '../../platform/platform.ts';
import { type CallContext, type HandlerEntry, RpcError } from '../../platform/rpc.ts';
import { immediate, serviceHandlers } from '../../rpc/service.ts';
import type { OsRootSpec } from '../resources/secrets.ts';

const HOURS_SEC = 24 * 3600;

/**
 * The service: signs any server certificate for whoever knows the machine token. It does not check that the names in
 * the request belong to the caller, as the original does not (reference/lifecycle-api-cli.md E.9).
 */
export function trustdHandlers(platform: Platform, root: () => OsRootSpec): readonly HandlerEntry[] {
  return serviceHandlers(SecurityService, {
    Certificate: immediate((request: CertificateRequest, context: CallContext) => {
      const secrets = root();
      checkToken(context, secrets.token);
      const crt = sign(platform, secrets, utf8Decode(request.csr));
      return { ca: utf8Encode(secrets.issuingCA.crt), crt: utf8Encode(crt) };
    }),
  });
}

function checkToken(context: CallContext, token: string): void {
  const given = context.metadata.token;
  if (given === undefined) throw new RpcError('Unauthenticated', 'missing token');
  if (given !== token) throw new RpcError('Unauthenticated', 'invalid token');
}

function sign({ crypto, clock }: Platform, root: OsRootSpec, csrPem: string): string {
  const nowSec = Math.floor(clock.nowUs() / 1_000_000);
  try {
    const request = crypto.parsePem(csrPem).find((item) => item.type === 'signing-request')?.request;
    if (request === undefined) throw new RpcError('InvalidArgument', 'failed to decode CSR');
    const certificate = crypto.issueCertificate({
      subject: { commonName: request.subject.commonName },
      dnsNames: request.dnsNames,
      ipAddresses: request.ipAddresses,
      notBeforeSec: nowSec,
      notAfterSec: nowSec + HOURS_SEC,
      keyUsages: ['digital-signature', 'key-encipherment'],
      extendedKeyUsages: ['server-auth'],
      publicKey: request.publicKey,
      signer: keyPairFromPem(crypto, root.issuingCA.crt, root.issuingCA.key),
    });
    return crypto.certificateToPem(certificate);
  } catch (error) {
    if (error instanceof CryptoError) throw new RpcError('InvalidArgument', `failed to sign CSR: ${error.message}`);
    throw error;
  }
}
