import type { ChannelOptions } from '../../platform/rpc.ts';
import { DEFAULT_RECEIVE_BYTES, DEFAULT_SEND_BYTES } from './limits.ts';
import type { ConnectOptions } from './transport.ts';

/** Fills in grpc-go's defaults; `tls` is what the transport makes of the TLS settings (null: plain text). */
export function connectOptions<Tls>(options: ChannelOptions, tls: Tls | null): ConnectOptions<Tls> {
  return {
    tls,
    keepaliveTimeUs: options.keepaliveTimeUs ?? 0,
    keepaliveTimeoutUs: options.keepaliveTimeoutUs ?? 20_000_000,
    backoffBaseUs: options.backoffBaseUs ?? 1_000_000,
    backoffMaxUs: options.backoffMaxUs ?? 120_000_000,
    connectTimeoutUs: options.connectTimeoutUs ?? 20_000_000,
    maxSendBytes: options.maxSendBytes ?? DEFAULT_SEND_BYTES,
    maxReceiveBytes: options.maxReceiveBytes ?? DEFAULT_RECEIVE_BYTES,
  };
}
