import {
  AffiliateDeleteResponse,
  AffiliateUpdateResponse,
  Cluster,
  HelloResponse,
  ListResponse,
  RedirectMessage,
  WatchResponse,
} from '../../api/discovery.ts';
import type { Clock } from '../../platform/clock.ts';
import { type CallContext, type HandlerEntry, RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { ipBytes } from '../../platform/x509/ip.ts';
import { serviceHandlers } from '../../rpc/service.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { DiscoveryState } from './state.ts';
import { validateAffiliateId, validateClusterId, validateUpdate } from './validate.ts';

export interface HandlerDeps {
  readonly clock: Clock;
  readonly state: DiscoveryState;
  readonly limiter: RateLimiter;
  /** Sent to every client that says hello. */
  readonly redirectEndpoint: string | undefined;
}

/** The methods of the discovery service. */
export function discoveryHandlers(deps: HandlerDeps): HandlerEntry[] {
  const { clock, state } = deps;
  return serviceHandlers(Cluster, {
    *Hello(request, context) {
      yield* pause(deps, context);
      validateClusterId(request.clusterId);
      const { redirectEndpoint } = deps;
      return HelloResponse.of({
        clientIp: ipBytes(clientAddress(context)) ?? new Uint8Array(0),
        redirect: redirectEndpoint === undefined ? null : RedirectMessage.of({ endpoint: redirectEndpoint }),
      });
    },
    *AffiliateUpdate(request, context) {
      yield* pause(deps, context);
      const expiresUs = clock.monotonicUs() + validateUpdate(request);
      const { clusterId, affiliateId, affiliateData, affiliateEndpoints } = request;
      state.cluster(clusterId).update(affiliateId, affiliateData, affiliateEndpoints, expiresUs);
      return AffiliateUpdateResponse.empty;
    },
    *AffiliateDelete(request, context) {
      yield* pause(deps, context);
      validateClusterId(request.clusterId);
      validateAffiliateId(request.affiliateId);
      state.cluster(request.clusterId).remove(request.affiliateId);
      return AffiliateDeleteResponse.empty;
    },
    *List(request, context) {
      yield* pause(deps, context);
      validateClusterId(request.clusterId);
      return ListResponse.of({ affiliates: state.cluster(request.clusterId).list() });
    },
    *Watch(stream) {
      yield* pause(deps, stream.context);
      const request = yield* stream.receive();
      if (request === undefined) throw new RpcError('InvalidArgument', "cluster ID can't be empty");
      validateClusterId(request.clusterId);
      const { snapshot, subscription } = state.cluster(request.clusterId).subscribe();
      try {
        stream.send(WatchResponse.of({ affiliates: snapshot }));
        for (;;) {
          yield* stream.drained();
          const change = yield* subscription.next();
          if (change === undefined) return;
          stream.send(change);
        }
      } finally {
        subscription.close();
      }
    },
  });
}

/** Holds a request back while its client's rate is used up; ResourceExhausted when that would outlast its deadline. */
function* pause(deps: HandlerDeps, context: CallContext): Task<void> {
  const nowUs = deps.clock.monotonicUs();
  const patienceUs = context.deadlineUs === undefined ? Number.MAX_SAFE_INTEGER : context.deadlineUs - nowUs;
  const waitUs = deps.limiter.reserve(clientAddress(context), nowUs, patienceUs);
  if (waitUs < 0) throw new RpcError('ResourceExhausted', 'rate limit exceeds request timeout');
  if (waitUs > 0) yield* deps.clock.sleep(waitUs);
}

/** What a proxy in front says, else who connected. */
function clientAddress(context: CallContext): string {
  const { metadata, peer } = context;
  return metadata['x-real-ip'] ?? metadata['x-forwarded-for']?.split(',')[0]?.trim() ?? peer.address;
}
