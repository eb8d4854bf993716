import type { CryptoPort } from '../../platform/crypto.ts';
import type { Net } from '../../platform/net.ts';
import type { GrpcDeps } from '../grpc/deps.ts';

/** What RPC over connections is made of: the ports of one process. */
export interface RpcDeps extends GrpcDeps {
  readonly net: Net;
  readonly crypto: CryptoPort;
  /** Processor time of a TLS handshake on each side. */
  readonly tlsCpuUs: number;
  /** Authorities trusted by clients that name none, as PEM. */
  readonly systemRootsPem?: string;
}
