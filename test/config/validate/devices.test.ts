import { describe, expect, it } from 'vitest';
import { check, controlPlane, errorsOf, type Json, type Section } from '../support.ts';

const withDevices = (...interfaces: Json[]): string => controlPlane({ network: { interfaces } });
const withBond = (bond: Section): string =>
  withDevices({ interface: 'bond0', bond: { interfaces: ['eth0'], ...bond } });
const KEY32 = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

// reference/network-config.md E.5, rows 15-21.
describe('network interfaces', () => {
  it('needs an interface or a selector, not both, and no empty selector (row 16)', () => {
    const fields = '[networking.os.device.interface], [networking.os.device.deviceSelector]';
    expect(errorsOf(withDevices({ dhcp: true }))).toEqual([`${fields}: required either config section to be set`]);
    expect(errorsOf(withDevices({ interface: 'a', deviceSelector: { driver: 'x' } }))).toEqual([
      `${fields}: config sections are mutually exclusive`,
    ]);
    expect(errorsOf(withDevices({ deviceSelector: {} }))).toEqual([
      '[networking.os.device.deviceSelector]: config section should contain at least one field',
    ]);
    expect(errorsOf(withDevices(null))).toEqual(['empty device']);
    expect(errorsOf(withDevices({ ignore: true, addresses: ['x'] }))).toEqual([]);
  });

  it('keeps bonds and bridges apart (row 15)', () => {
    expect(
      errorsOf(withDevices({ interface: 'b', bond: { interfaces: [], mode: '' }, bridge: { interfaces: [] } })),
    ).toEqual(['interface has both bridge and bond sections set "b": config sections are mutually exclusive']);
    expect(
      errorsOf(withDevices({ interface: 'b', bond: { interfaces: ['x'], deviceSelectors: [{ driver: 'y' }] } })),
    ).toEqual(['interface "b" has both interfaces and selectors set: config sections are mutually exclusive']);
    expect(
      errorsOf(
        withDevices(
          { interface: 'b0', bond: { interfaces: ['e'] } },
          { interface: 'br0', bridge: { interfaces: ['e'] } },
        ),
      ),
    ).toEqual(['interface "e" is declared as part of two separate links: "b0" and "br0"']);
  });

  it('forbids addresses on members (row 20)', () => {
    expect(
      errorsOf(withDevices({ interface: 'b0', bond: { interfaces: ['e'] } }, { interface: 'e', dhcp: true })),
    ).toEqual([
      '[networking.os.device] "e": bonded/bridged interface shouldn\'t have any addressing methods configured',
    ]);
  });

  it('checks addresses (row 20)', () => {
    const result = check(withDevices({ interface: 'eth0', cidr: '10.3.x' }));
    expect(result.errors).toEqual(['[networking.os.device.CIDR] "eth0": failed to parse IP address "10.3.x"']);
    expect(result.warnings).toEqual([
      '"eth0": machine.network.interface.cidr is deprecated, please use machine.network.interface.addresses',
    ]);
    expect(
      errorsOf(withDevices({ interface: 'eth0', addresses: ['192.168.0.5/24', '10.35.7.8', '10.3.x/24'] })),
    ).toEqual(['[networking.os.device.addresses] "eth0": invalid CIDR address: 10.3.x/24']);
    expect(errorsOf(withDevices({ interface: 'eth0', cidr: '10.1.1.1', addresses: ['10.1.1.1/24'] }))).toEqual([
      '[networking.os.device] "eth0": interface can\'t have both .cidr and .addresses set',
    ]);
    expect(errorsOf(withDevices({ interface: 'eth0', vip: { ip: '10.0.0' } }))).toEqual([
      '[networking.os.device.vip] failed to parse "10.0.0" as IP address',
    ]);
  });

  it('checks VLANs (row 19)', () => {
    const vlans = [
      { vlanId: 25, cidr: '10.3.x' },
      { vlanId: 26, cidr: '10.1.1.1', addresses: ['10.1.1.2', '1'] },
    ];
    expect(errorsOf(withDevices({ interface: 'eth0', vlans }))).toEqual([
      '[networking.os.device.vlan.CIDR] eth0.25: failed to parse IP address "10.3.x"',
      "[networking.os.device.vlan] eth0.26: vlan can't have both .cidr and .addresses set",
      '[networking.os.device.vlan.addresses] eth0.26: failed to parse IP address "1"',
    ]);
  });

  it('checks routes (row 21)', () => {
    const routes = [{ network: '10.0.0.0', gateway: '10.0', source: 'me' }, {}, { gateway: '10.0.0.1' }];
    expect(errorsOf(withDevices({ interface: 'e', routes }))).toEqual([
      '[networking.os.device.route[0].network] "10.0.0.0": invalid network address',
      '[networking.os.device.route[0].gateway] "10.0": invalid network address',
      '[networking.os.device.route[0].source] "me": invalid network address',
      '[networking.os.device.route[1]]: either network or gateway should be set',
    ]);
  });

  it('checks WireGuard (row 18)', () => {
    const peers = [
      { publicKey: 'AAA', endpoint: 'host', allowedIPs: ['10.0.0.0'] },
      { publicKey: KEY32, endpoint: '[fd00::1]:51820', allowedIPs: ['10.0.0.0/8'] },
    ];
    expect(errorsOf(withDevices({ interface: 'wg0', wireguard: { privateKey: 'AAAA', peers } }))).toEqual([
      'private key is invalid: wrong key "AAAA" length: 3',
      'public key invalid: illegal base64 data at input byte 0',
      'peer endpoint "host" is invalid',
      'peer allowed IP "10.0.0.0" is invalid: invalid CIDR address: 10.0.0.0',
    ]);
  });
});

// Row 17.
describe('bonds', () => {
  it('knows the words of each option', () => {
    expect(
      errorsOf(
        withBond({
          mode: 'round',
          xmitHashPolicy: 'l9',
          arpValidate: 'no',
          arpAllTargets: 'few',
          primaryReselect: 'x',
          failOverMac: 'y',
          adSelect: 'z',
        }),
      ),
    ).toEqual([
      'invalid bond type round',
      'invalid xmit hash policy l9',
      'invalid arp_validate mode no',
      'invalid arp_all_targets mode few',
      'invalid primary_reselect mode x',
      'invalid fail_over_mac value y',
      'invalid ad_select mode z',
    ]);
  });

  it('relates delays to miimon', () => {
    expect(errorsOf(withBond({ updelay: 5, downdelay: 5 }))).toEqual([
      "bond.upDelay can't be set if miiMon is zero",
      "bond.downDelay can't be set if miiMon is zero",
    ]);
    expect(errorsOf(withBond({ miimon: 100, updelay: 150, downdelay: 200 }))).toEqual([
      'bond.upDelay should be a multiple of miiMon',
    ]);
  });

  it('allows each option only in its modes', () => {
    const all = {
      arpIPTarget: ['10.0.0.1'],
      lacpRate: 'fast',
      adActorSystem: 'x',
      primary: 'e',
      tlbDynamicLb: 1,
      adActorSysPrio: 1,
      adUserPortKey: 1,
    };
    expect(errorsOf(withBond(all))).toEqual([
      'bond.arpIPTarget is not supported',
      'bond.lacpRate is only available in 802.3ad mode',
      'bond.adActorSystem is not supported',
      'bond.primary is not available in balance-rr mode',
      'bond.tlbDynamicTLB is not available in balance-rr mode',
      'bond.adActorSysPrio is only available in 802.3ad mode',
      'bond.adUserPortKey is only available in 802.3ad mode',
    ]);
    expect(errorsOf(withBond({ mode: '802.3ad', arpValidate: 'all', arpInterval: 1, packetsPerSlave: 2 }))).toEqual([
      'bond.arpValidate is not available in 802.3ad mode',
      'bond.arpInterval is not available in 802.3ad mode',
      'bond.packetsPerSlave is not available in 802.3ad mode',
    ]);
    expect(errorsOf(withBond({ mode: 'balance-tlb', primary: 'e', tlbDynamicLb: 1 }))).toEqual([]);
    expect(errorsOf(withBond({ mode: '802.3ad', lacpRate: 'fast', adActorSysPrio: 1, adUserPortKey: 1 }))).toEqual([]);
  });
});
