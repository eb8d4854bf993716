import { SECOND_US } from '../../src/platform/clock.ts';
import type { Endpoint, WireguardPeerConfig } from '../../src/platform/net.ts';
import { type Host, Lab } from './lab.ts';

/** Two sites behind one router that translates: h1, h2 at home (198.51.100.1), far away (198.51.100.2), web between them. */
export function sites(forwards: readonly { protocol: 'tcp' | 'udp'; port: number; to: Endpoint }[] = []) {
  const lab = new Lab();
  lab.network.addSegment({ name: 'wan' });
  lab.network.addSegment({ name: 'internet' });
  const far = lab.addHost('far', '172.16.0.9', 'wan');
  const web = lab.addHost('web', '198.51.100.9', 'internet');
  lab.network.addRouter({
    name: 'router',
    ports: [
      { segment: 'lan', address: '10.0.0.254/24' },
      { segment: 'wan', address: '172.16.0.254/24' },
      { segment: 'internet', address: '198.51.100.254/24' },
    ],
    nats: [
      { inside: '10.0.0.0/24', publicAddress: '198.51.100.1', forwards },
      { inside: '172.16.0.0/24', publicAddress: '198.51.100.2', forwards: [] },
    ],
  });
  const [h1, h2] = [lab.host(1), lab.host(2)];
  const route = (host: Host, gateway: string): void =>
    host.net.addRoute({ destination: '0.0.0.0/0', gateway, link: 'eth0', metric: 1024 });
  for (const host of [h1, h2]) route(host, '10.0.0.254');
  route(far, '172.16.0.254');
  return { lab, h1, h2, far, web };
}

export const WG = 'wg0';
export const WG_PORT = 51_820;
const KEEPALIVE_US = 25 * SECOND_US;

export function peer(of: Host, endpoint: string | null, more: Partial<WireguardPeerConfig> = {}): WireguardPeerConfig {
  return {
    publicKey: of.name,
    presharedKey: 'shared',
    endpoint: endpoint === null ? null : { address: endpoint, port: WG_PORT },
    keepaliveUs: KEEPALIVE_US,
    allowedIps: [`${of.address}/32`, `${ulaOf(of)}/128`],
    ...more,
  };
}

export function ulaOf(host: Host): string {
  return `fd00::${host.address.split('.').at(-1)}`;
}

/** Gives a host a WireGuard link with these peers, and sends what is for them into it. */
export function tunnel(host: Host, ...peers: readonly WireguardPeerConfig[]): void {
  host.net.setWireguard(WG, { publicKey: host.name, listenPort: WG_PORT, mtuBytes: 1420, peers });
  host.net.addAddress(WG, `${ulaOf(host)}/64`);
  host.net.divert(
    WG,
    peers.flatMap(({ allowedIps }) => allowedIps.filter((text) => !text.includes(':'))),
  );
}
