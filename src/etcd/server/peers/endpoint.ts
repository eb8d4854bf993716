import type { Endpoint } from '../../../platform/net.ts';
import type { ChannelOptions, Rpc, RpcChannel, TlsClient } from '../../../platform/rpc.ts';
import { parseUrl } from '../config/urls.ts';

/** Members talk HTTP to each other in etcd: messages between them have no limit of gRPC's. */
export const PEER_MESSAGE_BYTES = 0x7fff_ffff;

/** How a member reaches others. */
export interface PeerAccess {
  readonly rpc: Rpc;
  /** What it shows and trusts; absent without certificates. */
  readonly tls: TlsClient | undefined;
}

/** Where a URL leads; null when it is none that can be dialled. Host names are not resolved, except `localhost`. */
function endpointOf(url: string): Endpoint | null {
  const parsed = parseUrl(url);
  if (typeof parsed === 'string' || parsed.scheme === 'unix' || parsed.scheme === 'unixs') return null;
  return { address: parsed.host === 'localhost' || parsed.host === '' ? '127.0.0.1' : parsed.host, port: parsed.port };
}

/** A channel to the URLs of one member, encrypted when the first one says so; null when none can be dialled. */
export function peerChannel(
  { rpc, tls }: PeerAccess,
  urls: readonly string[],
  options: Omit<ChannelOptions, 'tls'>,
): RpcChannel | null {
  const endpoints = urls.flatMap((url) => endpointOf(url) ?? []);
  if (endpoints.length === 0) return null;
  const secure = urls[0]!.startsWith('https:') && tls !== undefined ? { tls } : {};
  return rpc.channel(endpoints, { maxReceiveBytes: PEER_MESSAGE_BYTES, ...options, ...secure });
}
