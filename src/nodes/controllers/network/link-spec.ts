import type { Controller } from '../../../cosi/index.ts';
import { deepEqual, passController, weak } from '../../../cosi/index.ts';
import { SECOND_US } from '../../../platform/clock.ts';
import { type MachineNet, parseHostPort, type WireguardConfig } from '../../../platform/net.ts';
import { LinkSpecs, LinkStatuses, type WireguardSpec } from '../../resources/network.ts';

/** Brings links into the wanted state; makes WireGuard links, and takes away those that nobody wants any more. */
export function linkSpecController(net: MachineNet): Controller {
  /** What WireGuard links were given last: giving it again would undo the roaming of a peer. */
  const given = new Map<string, WireguardSpec>();
  return passController({
    name: 'network.LinkSpecController',
    inputs: [weak(LinkSpecs), weak(LinkStatuses)],
    outputs: [],
    pass: (context) => {
      const specs = context.list(LinkSpecs).filter(({ metadata }) => metadata.phase === 'running');
      for (const { name, kind } of net.links()) {
        if (kind === undefined || specs.some(({ spec }) => spec.name === name)) continue;
        net.setWireguard(name, undefined);
        given.delete(name);
      }
      for (const { spec } of specs) {
        if (spec.wireguard === undefined || deepEqual(given.get(spec.name), spec.wireguard)) continue;
        net.setWireguard(spec.name, configOf(spec.wireguard, spec.mtu));
        given.set(spec.name, spec.wireguard);
      }
      const links = net.links();
      for (const { spec } of specs) {
        const link = links.find((candidate) => candidate.name === spec.name);
        if (link === undefined) continue;
        if (spec.up && !link.up) net.setLinkUp(spec.name, true);
        if (spec.mtu !== 0 && spec.mtu !== link.mtuBytes) net.setMtu(spec.name, spec.mtu);
      }
      return undefined;
    },
  });
}

function configOf(spec: WireguardSpec, mtuBytes: number): WireguardConfig {
  const { publicKey, listenPort } = spec;
  return {
    publicKey,
    listenPort,
    mtuBytes,
    peers: spec.peers.map((peer) => ({
      publicKey: peer.publicKey,
      presharedKey: peer.presharedKey,
      endpoint: peer.endpoint === '' ? null : parseHostPort(peer.endpoint, listenPort),
      keepaliveUs: peer.persistentKeepaliveSec * SECOND_US,
      allowedIps: peer.allowedIPs,
    })),
  };
}
