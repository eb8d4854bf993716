import type { Endpoint } from '../../platform/net.ts';
import type { ChannelOptions, Rpc, RpcChannel, RpcServer, ServeOptions } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { Channel } from './channel.ts';
import type { RpcDeps } from './deps.ts';
import { serve } from './server.ts';

/** `strictWire` and `tlsCpuUs` may be left out: no, and 1 ms. */
export type SimRpcDeps = Omit<RpcDeps, 'strictWire' | 'tlsCpuUs'> & Partial<Pick<RpcDeps, 'strictWire' | 'tlsCpuUs'>>;

/** The rpc port of one process of a simulation: gRPC's behaviour over its simulated connections. */
export function createSimRpc(options: SimRpcDeps): Rpc {
  const deps: RpcDeps = { strictWire: false, tlsCpuUs: 1_000, ...options };
  return {
    channel(endpoints: readonly Endpoint[], channelOptions: ChannelOptions = {}): RpcChannel {
      return new Channel(deps, endpoints, channelOptions);
    },
    serve(serveOptions: ServeOptions): Task<RpcServer> {
      return serve(deps, serveOptions);
    },
  };
}
