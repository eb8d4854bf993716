import { eventKind } from '../platform/log.ts';

/** A channel's connection came up. */
export const channelConnected = eventKind<{ address: string }>('rpc.channel.connected');

/** A connection attempt of a channel failed; `error` as grpc-go words it. */
export const channelFailed = eventKind<{ address: string; error: string }>('rpc.channel.failed');

/** A channel's connection was lost. */
export const channelLost = eventKind<{ address: string; error: string }>('rpc.channel.lost');

/** A server refused a connection during the TLS handshake. */
export const connectionRejected = eventKind<{ peer: string; error: string }>('rpc.server.rejected');
