import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { inNamespace, shared, weak } from '../../../cosi/index.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task, TaskHandle } from '../../../platform/task.ts';
import { openAffiliate, sealAffiliate } from '../../discovery/affiliate.ts';
import { DiscoveryClient, type DiscoveryClientOptions } from '../../discovery/client.ts';
import { sealEndpoint } from '../../discovery/endpoint.ts';
import type { Machine } from '../../machine.ts';
import { hostPrefix, isIpv6 } from '../../net/addresses.ts';
import { Affiliates, type DiscoveryConfigSpec, DiscoveryConfigs, Identities } from '../../resources/cluster.ts';
import { KubeSpanEndpoints } from '../../resources/kubespan.ts';
import { AddressStatuses } from '../../resources/network.ts';
import { MachineResetSignals } from '../../resources/runtime.ts';
import { RawAffiliates } from './affiliate-merge.ts';

/** Where the discovery service sees this machine: behind a NAT, the address of that. Id `service`. */
export const PublicAddresses = inNamespace(AddressStatuses, 'cluster');

interface Running {
  readonly client: DiscoveryClient;
  readonly task: TaskHandle<never>;
  sent: string;
}

/** Keeps this machine in the discovery service's list, and the others of that list here (reference/network-config.md C.7). */
export function discoveryServiceController(machine: Machine): Controller {
  return {
    name: 'cluster.DiscoveryServiceController',
    inputs: [
      weak(DiscoveryConfigs, 'cluster'),
      weak(Affiliates),
      weak(Identities, 'local'),
      weak(KubeSpanEndpoints),
      weak(MachineResetSignals, 'machine'),
    ],
    outputs: [shared(RawAffiliates), shared(PublicAddresses)],
    *run(context) {
      let running: Running | undefined;
      try {
        for (;;) {
          yield* context.wakeUp();
          if (context.get(MachineResetSignals, 'machine') !== undefined) {
            if (running !== undefined) yield* withdraw(running);
            return;
          }
          running = reconcile(machine, context, running);
          context.resetRestartBackoff();
        }
      } finally {
        running?.task.cancel();
      }
    },
  };
}

/** A machine that is reset says so; the others would know it for half an hour. */
function* withdraw(running: Running): Task<void> {
  running.task.cancel();
  try {
    yield* running.client.withdraw();
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
}

function reconcile(machine: Machine, context: ControllerContext, running: Running | undefined): Running | undefined {
  const config = context.get(DiscoveryConfigs, 'cluster')?.spec;
  const identity = context.get(Identities, 'local')?.spec;
  if (config === undefined || identity === undefined) return running;
  if (!config.registryServiceEnabled) {
    running?.task.cancel();
    context.startTrackingOutputs();
    context.cleanupOutputs(RawAffiliates, PublicAddresses);
    return undefined;
  }
  // Without a record of its own the pass leaves everything as it is.
  const local = context.get(Affiliates, identity.nodeId)?.spec;
  if (local === undefined) return running;
  const current = running ?? start(machine, context, optionsOf(config, identity.nodeId));
  const { crypto } = machine.platform;
  const key = config.serviceEncryptionKey;
  const found = foundEndpoints(context);
  const text = JSON.stringify([local, [...found]]);
  if (text !== current.sent) {
    current.sent = text;
    const sealed = [...found].map(
      ([id, endpoints]) => [id, endpoints.map((endpoint) => sealEndpoint(crypto, key, endpoint))] as const,
    );
    current.client.announce(sealAffiliate(crypto, key, local), new Map(sealed));
  }
  context.startTrackingOutputs();
  for (const announcement of current.client.others) {
    const affiliate = openAffiliate(crypto, key, announcement);
    if (affiliate !== undefined) context.set(RawAffiliates, `service/${affiliate.nodeId}`, affiliate);
  }
  context.cleanupOutputs(RawAffiliates);
  const { publicAddress } = current.client;
  if (publicAddress !== undefined) writePublicAddress(context, publicAddress);
  return current;
}

/** Endpoints under which this machine heard others, by their ids. */
function foundEndpoints(context: ControllerContext): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { spec } of context.list(KubeSpanEndpoints)) {
    found.set(spec.affiliateID, [...(found.get(spec.affiliateID) ?? []), spec.endpoint]);
  }
  return found;
}

/** Never taken away by itself: an address that was true once stays until another one is. */
function writePublicAddress(context: ControllerContext, address: string): void {
  context.set(PublicAddresses, 'service', {
    address: hostPrefix(address),
    linkName: '',
    family: isIpv6(address) ? 'inet6' : 'inet4',
    scope: 'global',
  });
}

function start(machine: Machine, context: ControllerContext, options: DiscoveryClientOptions): Running {
  const client = new DiscoveryClient(machine, options, () => context.queueReconcile());
  return { client, task: context.scope.spawn('client', () => client.run()), sent: '' };
}

function optionsOf(config: DiscoveryConfigSpec, affiliateId: string): DiscoveryClientOptions {
  const [, host = '', port = '443'] = /^\[?(.+?)\]?:(\d+)$/.exec(config.serviceEndpoint) ?? [];
  return {
    host,
    port: Number(port),
    insecure: config.serviceEndpointInsecure,
    clusterId: config.serviceClusterID,
    affiliateId,
  };
}
