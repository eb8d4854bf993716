import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { exclusive, shared, weak } from '../../../cosi/index.ts';
import { rfc3339 } from '../../../platform/rfc3339.ts';
import { kubeSpanPeer } from '../../events.ts';
import { KEEPALIVE_US, KUBESPAN_LINK, KUBESPAN_PORT, RECONCILE_US } from '../../kubespan/constants.ts';
import { PeerTable } from '../../kubespan/peers.ts';
import type { Machine } from '../../machine.ts';
import { addressOf } from '../../net/addresses.ts';
import {
  KUBESPAN,
  type KubeSpanConfigSpec,
  KubeSpanConfigs,
  KubeSpanIdentities,
  type KubeSpanIdentitySpec,
  KubeSpanPeerSpecs,
  KubeSpanPeerStatuses,
} from '../../resources/kubespan.ts';
import { LayeredAddressSpecs, LayeredLinkSpecs, LinkStatuses, type WireguardSpec } from '../../resources/network.ts';
import { timedPasses } from '../wake-timer.ts';

/**
 * Runs the WireGuard link of the mesh: wants it with its peers, looks every 30 s how each of them does, tries another
 * endpoint where one is down, and sends what is for the peers into the link (reference/network-config.md C.9).
 */
export function kubeSpanManagerController(machine: Machine): Controller {
  return {
    name: 'kubespan.ManagerController',
    inputs: [
      weak(KubeSpanConfigs, KUBESPAN),
      weak(KubeSpanIdentities, 'local'),
      weak(KubeSpanPeerSpecs),
      weak(LinkStatuses, KUBESPAN_LINK),
    ],
    outputs: [shared(LayeredLinkSpecs), shared(LayeredAddressSpecs), exclusive(KubeSpanPeerStatuses)],
    run(context) {
      const { clock } = machine.platform;
      const peers = new PeerTable();
      let nextLookUs = 0;
      return timedPasses(clock, context, (timer) => {
        const config = context.get(KubeSpanConfigs, KUBESPAN)?.spec;
        const identity = context.get(KubeSpanIdentities, 'local')?.spec;
        context.startTrackingOutputs();
        if (config?.enabled === true && identity !== undefined) {
          keepUp(machine, context, peers, config, identity);
          const nowUs = clock.monotonicUs();
          if (nowUs >= nextLookUs) nextLookUs = nowUs + RECONCILE_US;
          timer.afterUs(nextLookUs - nowUs, context);
        } else timer.cancel();
        context.cleanupOutputs(LayeredLinkSpecs, LayeredAddressSpecs, KubeSpanPeerStatuses);
        return true;
      });
    },
  };
}

function keepUp(
  machine: Machine,
  context: ControllerContext,
  peers: PeerTable,
  config: KubeSpanConfigSpec,
  identity: KubeSpanIdentitySpec,
): void {
  const { net, clock } = machine.platform;
  peers.update(context.list(KubeSpanPeerSpecs), net.wireguardPeers(KUBESPAN_LINK), clock.monotonicUs());
  writeStatuses(machine, context, peers);
  context.set(LayeredLinkSpecs, `operator/${KUBESPAN_LINK}`, {
    name: KUBESPAN_LINK,
    up: true,
    mtu: config.mtu,
    wireguard: wireguardOf(context, peers, config, identity),
    layer: 'operator',
  });
  const address = `${addressOf(identity.address)}/64`;
  context.set(LayeredAddressSpecs, `operator/${KUBESPAN_LINK}/${address}`, {
    address,
    linkName: KUBESPAN_LINK,
    announceWithARP: false,
    layer: 'operator',
  });
  net.divert(KUBESPAN_LINK, peers.routed(context.list(KubeSpanPeerSpecs), config.forceRouting));
}

function writeStatuses(machine: Machine, context: ControllerContext, peers: PeerTable): void {
  const { clock, log } = machine.platform;
  const bootedAtUs = clock.nowUs() - clock.monotonicUs();
  for (const [id, status] of peers.statuses((us) => rfc3339(bootedAtUs + us))) {
    const before = context.get(KubeSpanPeerStatuses, id)?.spec.state ?? '';
    context.set(KubeSpanPeerStatuses, id, status);
    const { label, state, endpoint } = status;
    if (before !== state) log.event(kubeSpanPeer, { peer: label, state, before, endpoint });
  }
}

function wireguardOf(
  context: ControllerContext,
  peers: PeerTable,
  config: KubeSpanConfigSpec,
  identity: KubeSpanIdentitySpec,
): WireguardSpec {
  return {
    privateKey: identity.privateKey,
    publicKey: identity.publicKey,
    listenPort: KUBESPAN_PORT,
    peers: context.list(KubeSpanPeerSpecs).map(({ metadata, spec }) => ({
      publicKey: metadata.id,
      presharedKey: config.sharedSecret,
      endpoint: peers.configured(metadata.id),
      persistentKeepaliveSec: KEEPALIVE_US / 1_000_000,
      allowedIPs: spec.allowedIPs,
    })),
  };
}
