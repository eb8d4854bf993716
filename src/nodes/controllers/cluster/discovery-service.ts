import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { shared, weak } from '../../../cosi/index.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task, TaskHandle } from '../../../platform/task.ts';
import { openAffiliate, sealAffiliate } from '../../discovery/affiliate.ts';
import { DiscoveryClient, type DiscoveryClientOptions } from '../../discovery/client.ts';
import type { Machine } from '../../machine.ts';
import { Affiliates, type DiscoveryConfigSpec, DiscoveryConfigs, Identities } from '../../resources/cluster.ts';
import { MachineResetSignals } from '../../resources/runtime.ts';
import { RawAffiliates } from './affiliate-merge.ts';

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
      weak(MachineResetSignals, 'machine'),
    ],
    outputs: [shared(RawAffiliates)],
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
    context.cleanupOutputs(RawAffiliates);
    return undefined;
  }
  // Without a record of its own the pass leaves everything as it is.
  const local = context.get(Affiliates, identity.nodeId)?.spec;
  if (local === undefined) return running;
  const current = running ?? start(machine, context, optionsOf(config, identity.nodeId));
  const text = JSON.stringify(local);
  if (text !== current.sent) {
    current.sent = text;
    current.client.announce(sealAffiliate(machine.platform.crypto, config.serviceEncryptionKey, local));
  }
  context.startTrackingOutputs();
  for (const data of current.client.others) {
    const affiliate = openAffiliate(machine.platform.crypto, config.serviceEncryptionKey, data);
    if (affiliate !== undefined) context.set(RawAffiliates, `service/${affiliate.nodeId}`, affiliate);
  }
  context.cleanupOutputs(RawAffiliates);
  return current;
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
