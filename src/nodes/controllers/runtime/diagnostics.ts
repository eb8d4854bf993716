import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { exclusive, weak } from '../../../cosi/index.ts';
import { goQuoteList } from '../../../platform/text/quote.ts';
import { activeSettings } from '../../config/active.ts';
import type { Machine } from '../../machine.ts';
import { overlaps } from '../../net/addresses.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { NodeAddresses } from '../../resources/network.ts';
import { Diagnostics } from '../../resources/runtime.ts';
import { timedPasses } from '../wake-timer.ts';

/** A warning is published once it has held for this long. */
const PERSIST_US = 30_000_000;

/**
 * Warnings about a machine that works but not well (reference/lifecycle-api-cli.md A.11). `kubelet-csr` is not among
 * them: the simulated kubelet's serving certificate is self-signed.
 */
export function diagnosticsController(machine: Machine): Controller {
  const { clock } = machine.platform;
  return {
    name: 'runtime.DiagnosticsController',
    inputs: [weak(NodeAddresses, 'routed-no-k8s'), weak(MachineConfigs, ACTIVE_CONFIG)],
    outputs: [exclusive(Diagnostics)],
    run: (context) => {
      let sinceUs: number | undefined;
      return timedPasses(clock, context, (timer) => {
        const details = overlapping(context);
        sinceUs = details.length === 0 ? undefined : (sinceUs ?? clock.monotonicUs());
        context.startTrackingOutputs();
        if (sinceUs !== undefined) {
          const leftUs = sinceUs + PERSIST_US - clock.monotonicUs();
          if (leftUs > 0) timer.afterUs(leftUs, context);
          else {
            const message = 'host and Kubernetes pod/service CIDR addresses overlap';
            context.set(Diagnostics, 'address-overlap', { message, details });
          }
        }
        context.cleanupOutputs(Diagnostics);
        return true;
      });
    },
  };
}

function overlapping(context: ControllerContext): readonly string[] {
  const cluster = activeSettings(context)?.cluster;
  const own = context.get(NodeAddresses, 'routed-no-k8s')?.spec.addresses ?? [];
  if (cluster === undefined) return [];
  const networks = [...cluster.podSubnets, ...cluster.serviceSubnets];
  if (!own.some((prefix) => networks.some((network) => overlaps(prefix, network)))) return [];
  return [
    `host routed addresses: ${goQuoteList(own)}`,
    `Kubernetes pod CIDRs: ${goQuoteList(cluster.podSubnets)}`,
    `Kubernetes service CIDRs: ${goQuoteList(cluster.serviceSubnets)}`,
  ];
}
