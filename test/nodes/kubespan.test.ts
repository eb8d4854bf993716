import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../src/cosi/index.ts';
import { kubeSpanAddress, kubeSpanSubnet } from '../../src/nodes/kubespan/identity.ts';
import { PeerTable } from '../../src/nodes/kubespan/peers.ts';
import { contains } from '../../src/nodes/net/addresses.ts';
import { IpSet } from '../../src/nodes/net/ip-set.ts';
import type { KubeSpanPeerSpecSpec } from '../../src/nodes/resources/kubespan.ts';
import { SECOND_US } from '../../src/platform/clock.ts';
import type { WireguardPeerState } from '../../src/platform/net.ts';

const ID = 'key';

function specs(...endpoints: string[]): readonly Resource<KubeSpanPeerSpecSpec>[] {
  const spec = {
    address: 'fd00::1',
    allowedIPs: ['10.0.0.1/32', 'fd7f:175a:b97c:5602::1/128'],
    endpoints,
    label: 'worker-1',
  };
  return [{ metadata: { id: ID }, spec } as unknown as Resource<KubeSpanPeerSpecSpec>];
}

function kernel(endpoint: string, handshakeAgeUs: number | null): readonly WireguardPeerState[] {
  const [address = '', port = ''] = endpoint.split(':');
  const at = endpoint === '' ? null : { address, port: Number(port) };
  return [{ publicKey: ID, endpoint: at, handshakeAgeUs, receivedBytes: 1, sentBytes: 2 }];
}

function look(table: PeerTable) {
  const { state, endpoint, lastEndpointChange } = table.statuses(String).get(ID)!;
  return { state, endpoint, changed: lastEndpointChange };
}

describe('the place of a machine in the mesh', () => {
  it('is the one that Talos computes (reference/network-config.md, recorded values)', () => {
    const cluster = '8XuV9TZHW08DOk3bVxQjH9ih_TBKjnh-j44tsCLSBzo=';
    expect(kubeSpanSubnet(cluster)).toBe('fd7f:175a:b97c:5602::/64');
    expect(kubeSpanAddress(cluster, '2e:1a:b6:53:81:69')).toBe('fd7f:175a:b97c:5602:2c1a:b6ff:fe53:8169/128');
  });
});

describe('what KubeSpan thinks of a peer', () => {
  it('tries its endpoints in turn until one answers, and stays with that', () => {
    const table = new PeerTable();
    table.update(specs('10.0.0.1:1', '10.0.0.2:2'), [], 0);
    expect(look(table)).toEqual({ state: 'unknown', endpoint: '10.0.0.1:1', changed: '0' });
    expect(table.configured(ID)).toBe('10.0.0.1:1');
    // Not before 15 s is it judged; then the next one gets its chance.
    table.update(specs('10.0.0.1:1', '10.0.0.2:2'), kernel('10.0.0.1:1', null), 14 * SECOND_US);
    expect(look(table)).toMatchObject({ state: 'unknown', endpoint: '10.0.0.1:1' });
    table.update(specs('10.0.0.1:1', '10.0.0.2:2'), kernel('10.0.0.1:1', null), 30 * SECOND_US);
    expect(look(table)).toEqual({ state: 'unknown', endpoint: '10.0.0.2:2', changed: String(30 * SECOND_US) });
    table.update(specs('10.0.0.1:1', '10.0.0.2:2'), kernel('10.0.0.2:2', SECOND_US), 40 * SECOND_US);
    expect(look(table)).toMatchObject({ state: 'up', endpoint: '10.0.0.2:2' });
  });

  it('is up for 275 s after its last handshake; with one endpoint it stays down and stays with it', () => {
    const table = new PeerTable();
    table.update(specs('10.0.0.1:1'), [], 0);
    const at = (seconds: number, age: number | null) => {
      table.update(
        specs('10.0.0.1:1'),
        kernel('10.0.0.1:1', age === null ? null : age * SECOND_US),
        seconds * SECOND_US,
      );
      return look(table).state;
    };
    expect([at(1, 0), at(200, 199), at(274, 273), at(280, 274), at(281, 276)]).toEqual([
      'up',
      'up',
      'up',
      'up',
      'down',
    ]);
    expect(look(table)).toMatchObject({ endpoint: '10.0.0.1:1', changed: '0' });
    expect(at(400, 3)).toBe('up');
  });

  it('is reached through the mesh while it is up, and when that is forced also while it is not', () => {
    const table = new PeerTable();
    const peers = specs('10.0.0.1:1');
    table.update(peers, [], 0);
    expect([table.routed(peers, false), table.routed(peers, true)]).toEqual([[], ['10.0.0.1/32']]);
    table.update(peers, kernel('10.0.0.1:1', 0), SECOND_US);
    expect(table.routed(peers, false)).toEqual(['10.0.0.1/32']);
  });

  it('lets a peer roam in: its own endpoint stays, and one without any endpoint is up once it was heard', () => {
    const table = new PeerTable();
    table.update(specs('10.0.0.1:1'), [], 0);
    table.update(specs('10.0.0.1:1'), kernel('10.9.9.9:9', SECOND_US), 5 * SECOND_US);
    expect(look(table)).toMatchObject({ state: 'up', endpoint: '10.9.9.9:9' });
    expect(table.configured(ID)).toBe('');

    const silent = new PeerTable();
    silent.update(specs(), kernel('', null), 600 * SECOND_US);
    expect(look(silent)).toMatchObject({ state: 'unknown', endpoint: '' });
    silent.update(specs(), kernel('10.9.9.9:9', 0), 601 * SECOND_US);
    expect(look(silent)).toMatchObject({ state: 'up', endpoint: '10.9.9.9:9' });
  });
});

describe('sets of addresses', () => {
  const address = fc.integer({ min: 0, max: 63 }).map((n) => `10.0.0.${n}`);
  const prefix = fc.tuple(address, fc.integer({ min: 26, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`);

  it('hold what was added and not removed later, in the fewest prefixes', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), prefix), { maxLength: 12 }), (steps) => {
        const set = new IpSet();
        const model = new Set<number>();
        for (const [adds, cidr] of steps) {
          if (adds) set.add(cidr);
          else set.remove(cidr);
          for (let n = 0; n < 64; n++) {
            if (contains(cidr, `10.0.0.${n}`)) model[adds ? 'add' : 'delete'](n);
          }
        }
        const prefixes = set.prefixes();
        const held = Array.from({ length: 64 }, (_, n) => n).filter((n) =>
          prefixes.some((cidr) => contains(cidr, `10.0.0.${n}`)),
        );
        expect(held).toEqual([...model].sort((a, b) => a - b));
        // No two of them are the halves of one.
        const halves = prefixes.map((cidr) => parentOf(cidr));
        expect(new Set(halves).size).toBe(halves.length);
      }),
    );
  });

  it('keep the families apart', () => {
    const set = new IpSet();
    for (const cidr of ['fd00::1/128', '10.0.0.1/32', 'fd00::/128']) set.add(cidr);
    set.remove('0.0.0.0/0');
    set.add('192.168.0.5/32');
    expect(set.prefixes()).toEqual(['192.168.0.5/32', 'fd00::/127']);
  });
});

function parentOf(cidr: string): string {
  const [ip = '', bits = ''] = cidr.split('/');
  const last = Number(ip.split('.')[3]);
  const size = 2 ** (33 - Number(bits));
  return `${last - (last % size)}/${Number(bits) - 1}`;
}
