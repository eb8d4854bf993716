import { DiscoveryService, type WatchResponse } from '../../api/discovery.ts';
import { Channel, END } from '../../platform/channel.ts';
import { race } from '../../platform/combinators.ts';
import type { Process } from '../../platform/containers.ts';
import { RpcError, type TlsServer } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { ipBytes } from '../../platform/x509/ip.ts';
import { serviceHandlers } from '../../rpc/service.ts';
import { checkId, DiscoveryState, WATCH_BUFFER } from './state.ts';

const GC_PERIOD_US = 60_000_000;

/**
 * The discovery service: `discovery-service --listen=0.0.0.0:443`. With TLS_CERTIFICATE and TLS_KEY (PEM) in the environment
 * it serves TLS. It keeps everything in memory: a restart forgets, and clients announce themselves anew.
 */
export function* discoveryService(process: Process): Task<number> {
  const { platform } = process;
  const [, address = '0.0.0.0', port = '443'] = /^--listen=(.+):(\d+)$/.exec(process.argv[1] ?? '') ?? [];
  const state = new DiscoveryState(() => platform.clock.monotonicUs());
  yield* platform.rpc.serve({ address, port: Number(port), handlers: handlers(state), ...tlsOf(process.env) });
  platform.scope.spawn('gc', () => collect(process, state));
  yield* race({ signal: process.signals.receive() });
  return 0;
}

function tlsOf(env: Readonly<Record<string, string>>): { tls?: TlsServer } {
  const { TLS_CERTIFICATE: certificatePem, TLS_KEY: keyPem } = env;
  return certificatePem === undefined || keyPem === undefined ? {} : { tls: { certificatePem, keyPem } };
}

function* collect(process: Process, state: DiscoveryState): Task<never> {
  for (;;) {
    state.collect();
    yield* process.platform.clock.sleep(GC_PERIOD_US);
  }
}

function handlers(state: DiscoveryState) {
  return serviceHandlers(DiscoveryService, {
    *Hello(request, context) {
      checkId('cluster', request.clusterId);
      return { redirect: null, clientIp: ipBytes(context.peer.address) ?? new Uint8Array() };
    },
    *AffiliateUpdate(request) {
      state.update(request);
      return {};
    },
    *AffiliateDelete(request) {
      state.remove(request.clusterId, request.affiliateId);
      return {};
    },
    *List(request) {
      return { affiliates: state.list(request.clusterId) };
    },
    *Watch(stream) {
      const request = yield* stream.receive();
      if (request === undefined) throw new RpcError('InvalidArgument', 'no request');
      checkId('cluster', request.clusterId);
      const events = new Channel<WatchResponse>(WATCH_BUFFER);
      let lost = false;
      const stop = state.subscribe(request.clusterId, (event) => {
        if (events.offer(event)) return;
        lost = true;
        events.close();
      });
      try {
        stream.send({ affiliates: state.list(request.clusterId), deleted: false });
        for (let event = yield* events.receive(); event !== END; event = yield* events.receive()) {
          if (!stream.send(event)) return;
          yield* stream.drained();
        }
        if (lost) throw new RpcError('Aborted', 'subscription canceled: lost events');
      } finally {
        stop();
      }
    },
  });
}
