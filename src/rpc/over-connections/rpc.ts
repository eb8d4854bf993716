import type { Endpoint } from '../../platform/net.ts';
import type { ChannelOptions, Rpc, RpcChannel, RpcServer, ServeOptions } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { Channel, channelName } from '../grpc/channel.ts';
import { connectOptions } from '../grpc/options.ts';
import { clientMaterial } from '../tls/material.ts';
import { connectOver } from './connect.ts';
import type { RpcDeps } from './deps.ts';
import { serve } from './server.ts';

/** `strictWire` and `tlsCpuUs` may be left out: no, and 1 ms. */
export type SimRpcDeps = Omit<RpcDeps, 'strictWire' | 'tlsCpuUs'> & Partial<Pick<RpcDeps, 'strictWire' | 'tlsCpuUs'>>;

/** The rpc port of one process of a simulation: gRPC's behaviour over its simulated connections. */
export function createSimRpc(options: SimRpcDeps): Rpc {
  const deps: RpcDeps = { strictWire: false, tlsCpuUs: 1_000, ...options };
  return {
    channel(endpoints: readonly Endpoint[], channelOptions: ChannelOptions = {}): RpcChannel {
      const { tls } = channelOptions;
      const material = tls === undefined ? null : clientMaterial(deps.crypto, tls, deps.systemRootsPem);
      const connecting = connectOptions(channelOptions, material);
      const own = { ...deps, random: deps.random.stream(channelName(endpoints)) };
      return new Channel(own, endpoints, (endpoint) => connectOver(own, connecting, endpoint), connecting);
    },
    serve(serveOptions: ServeOptions): Task<RpcServer> {
      return serve(deps, serveOptions);
    },
  };
}
