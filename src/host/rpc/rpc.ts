import type { Endpoint } from '../../platform/net.ts';
import type { ChannelOptions, Rpc, RpcChannel, RpcServer, ServeOptions } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { Channel, channelName } from '../../rpc/grpc/channel.ts';
import type { GrpcDeps } from '../../rpc/grpc/deps.ts';
import { connectOptions } from '../../rpc/grpc/options.ts';
import type { HostExecutor } from '../executor.ts';
import type { HostNet } from '../net/net.ts';
import { connectHttp2To } from './connect.ts';
import { serveHttp2 } from './server.ts';

export interface HostRpcDeps extends GrpcDeps {
  readonly net: HostNet;
  readonly executor: HostExecutor;
}

/**
 * The rpc port over HTTP/2 of Node.js. Channels, back-off, deadlines and dispatch are the code that runs in a
 * simulation; only what carries the streams is another.
 */
export function createHostRpc(deps: HostRpcDeps): Rpc {
  return {
    channel(endpoints: readonly Endpoint[], options: ChannelOptions = {}): RpcChannel {
      const own = { ...deps, random: deps.random.stream(channelName(endpoints)) };
      const connecting = connectOptions(options, options.tls ?? null);
      return new Channel(own, endpoints, (endpoint) => connectHttp2To(own, connecting, endpoint), connecting);
    },
    serve(options: ServeOptions): Task<RpcServer> {
      return serveHttp2(deps, options);
    },
  };
}
