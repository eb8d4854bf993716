/** Rules of `machine.network.interfaces` (reference/network-config.md E.5 rows 15–21). */
import { goQuote } from '../../platform/text/quote.ts';
import type { Path } from '../errors.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { base64Problem, base64SizeBytes } from '../text/base64.ts';
import { isIp, parsePrefix } from '../text/ip.ts';
import { flagAt, isObject, listAt, numberAt, objectAt, stringsAt, textAt } from '../view.ts';
import { checkBond } from './bond.ts';
import type { Findings } from './findings.ts';

const EXCLUSIVE = 'config sections are mutually exclusive';
const BASE: Path = Object.freeze(['machine', 'network', 'interfaces']);

/** Checks all interfaces together, then each one. */
export function checkDevices(findings: Findings, devices: readonly ConfigValue[]): void {
  const members = checkMembership(findings, devices);
  for (const [index, device] of devices.entries()) {
    const path = [...BASE, index];
    if (!isObject(device)) {
      findings.error(path, 'empty device');
    } else if (flagAt(device, 'ignore') !== true) {
      checkIdentity(findings, path, device);
      checkAddressing(findings, path, device, members);
      checkRoutes(findings, path, device);
    }
  }
}

/** Bonds and bridges: what belongs to what. Returns the master of each member. */
function checkMembership(findings: Findings, devices: readonly ConfigValue[]): Map<string, string> {
  const masters = new Map<string, string>();
  for (const [index, device] of devices.entries()) {
    if (!isObject(device)) {
      continue;
    }
    const name = textAt(device, 'interface');
    const bond = objectAt(device, 'bond');
    const bridge = objectAt(device, 'bridge');
    if (bond !== undefined && bridge !== undefined) {
      findings.error(
        [...BASE, index],
        `interface has both bridge and bond sections set ${goQuote(name)}: ${EXCLUSIVE}`,
      );
    }
    if (stringsAt(bond, 'interfaces').length > 0 && listAt(bond, 'deviceSelectors').length > 0) {
      const message = `interface ${goQuote(name)} has both interfaces and selectors set: ${EXCLUSIVE}`;
      findings.error([...BASE, index, 'bond'], message);
    }
    for (const member of stringsAt(bridge ?? bond, 'interfaces')) {
      const other = masters.get(member);
      if (other !== undefined && other !== name) {
        const links = `${goQuote(other)} and ${goQuote(name)}`;
        const message = `interface ${goQuote(member)} is declared as part of two separate links: ${links}`;
        findings.error([...BASE, index], message);
      }
      masters.set(member, name);
    }
  }
  return masters;
}

function checkIdentity(findings: Findings, path: Path, device: ConfigObject): void {
  const name = textAt(device, 'interface');
  const selector = objectAt(device, 'deviceSelector');
  const fields = '[networking.os.device.interface], [networking.os.device.deviceSelector]';
  if (name === '' && selector === undefined) {
    findings.error(path, `${fields}: required either config section to be set`);
  } else if (name !== '' && selector !== undefined) {
    findings.error(path, `${fields}: ${EXCLUSIVE}`);
  }
  if (selector !== undefined && Object.keys(selector).length === 0) {
    const message = '[networking.os.device.deviceSelector]: config section should contain at least one field';
    findings.error([...path, 'deviceSelector'], message);
  }
  const bond = objectAt(device, 'bond');
  if (bond !== undefined) {
    checkBond(findings, [...path, 'bond'], bond);
  }
  const wireguard = objectAt(device, 'wireguard');
  if (wireguard !== undefined) {
    checkWireguard(findings, [...path, 'wireguard'], wireguard);
  }
  for (const [index, vlan] of listAt(device, 'vlans').entries()) {
    checkVlan(findings, [...path, 'vlans', index], name, vlan);
  }
}

function keyProblem(key: string): string | undefined {
  const size = base64SizeBytes(key);
  return base64Problem(key) ?? (size === 32 ? undefined : `wrong key ${goQuote(key)} length: ${size}`);
}

function checkWireguard(findings: Findings, path: Path, config: ConfigObject): void {
  const problem = keyProblem(textAt(config, 'privateKey'));
  if (problem !== undefined) {
    findings.error([...path, 'privateKey'], `private key is invalid: ${problem}`);
  }
  for (const [index, peer] of listAt(config, 'peers').entries()) {
    const peerPath = [...path, 'peers', index];
    const publicProblem = keyProblem(textAt(peer, 'publicKey'));
    if (publicProblem !== undefined) {
      findings.error([...peerPath, 'publicKey'], `public key invalid: ${publicProblem}`);
    }
    const endpoint = textAt(peer, 'endpoint');
    if (endpoint !== '' && !containsPort(endpoint)) {
      findings.error([...peerPath, 'endpoint'], `peer endpoint ${goQuote(endpoint)} is invalid`);
    }
    for (const [position, prefix] of stringsAt(peer, 'allowedIPs').entries()) {
      if (parsePrefix(prefix) === undefined) {
        const message = `peer allowed IP ${goQuote(prefix)} is invalid: invalid CIDR address: ${prefix}`;
        findings.error([...peerPath, 'allowedIPs', position], message);
      }
    }
  }
}

/** True for `address:port`, `[v6]:port`, `host:port`; the port itself is not looked at. */
function containsPort(text: string): boolean {
  const bare = (part: string): string => part.replace(/^[[\]]+|[[\]]+$/g, '');
  if (!text.includes(':') || isIp(bare(text))) {
    return false;
  }
  const host = text.slice(0, text.lastIndexOf(':'));
  return isIp(bare(host)) || text.split(':').length === 2;
}

function checkVlan(findings: Findings, path: Path, device: string, vlan: ConfigValue): void {
  const id = `${device}.${numberAt(vlan, 'vlanId')}`;
  const cidr = textAt(vlan, 'cidr');
  const addresses = stringsAt(vlan, 'addresses');
  if (addresses.length > 0 && cidr !== '') {
    findings.error(path, `[networking.os.device.vlan] ${id}: vlan can't have both .cidr and .addresses set`);
  }
  const problem = cidr === '' ? undefined : addressProblem(cidr);
  if (problem !== undefined) {
    findings.error([...path, 'cidr'], `[networking.os.device.vlan.CIDR] ${id}: ${problem}`);
  }
  for (const [index, address] of addresses.entries()) {
    const wrong = addressProblem(address);
    if (wrong !== undefined) {
      findings.error([...path, 'addresses', index], `[networking.os.device.vlan.addresses] ${id}: ${wrong}`);
    }
  }
}

function addressProblem(text: string): string | undefined {
  if (text.includes('/')) {
    return parsePrefix(text) === undefined ? `invalid CIDR address: ${text}` : undefined;
  }
  return isIp(text) ? undefined : `failed to parse IP address ${goQuote(text)}`;
}

function checkAddressing(findings: Findings, path: Path, device: ConfigObject, masters: Map<string, string>): void {
  const name = textAt(device, 'interface');
  const quoted = goQuote(name);
  const cidr = textAt(device, 'cidr');
  const addresses = stringsAt(device, 'addresses');
  const vip = objectAt(device, 'vip');
  const addressed = flagAt(device, 'dhcp') === true || cidr !== '' || addresses.length > 0 || vip !== undefined;
  if (masters.has(name) && addressed) {
    const problem = "bonded/bridged interface shouldn't have any addressing methods configured";
    findings.error(path, `[networking.os.device] ${quoted}: ${problem}`);
  }
  if (addresses.length > 0 && cidr !== '') {
    findings.error(path, `[networking.os.device] ${quoted}: interface can't have both .cidr and .addresses set`);
  }
  if (cidr !== '') {
    const problem = addressProblem(cidr);
    if (problem !== undefined) {
      findings.error([...path, 'cidr'], `[networking.os.device.CIDR] ${quoted}: ${problem}`);
    }
    const advice = 'machine.network.interface.cidr is deprecated, please use machine.network.interface.addresses';
    findings.warn([...path, 'cidr'], `${quoted}: ${advice}`);
  }
  for (const [index, address] of addresses.entries()) {
    const problem = addressProblem(address);
    if (problem !== undefined) {
      findings.error([...path, 'addresses', index], `[networking.os.device.addresses] ${quoted}: ${problem}`);
    }
  }
  if (vip !== undefined && !isIp(textAt(vip, 'ip'))) {
    const message = `[networking.os.device.vip] failed to parse ${goQuote(textAt(vip, 'ip'))} as IP address`;
    findings.error([...path, 'vip', 'ip'], message);
  }
}

function checkRoutes(findings: Findings, path: Path, device: ConfigObject): void {
  for (const [index, route] of listAt(device, 'routes').entries()) {
    const field = `networking.os.device.route[${index}]`;
    const routePath = [...path, 'routes', index];
    const network = textAt(route, 'network');
    const gateway = textAt(route, 'gateway');
    const source = textAt(route, 'source');
    const wrong = (part: string, value: string): void =>
      findings.error([...routePath, part], `[${field}.${part}] ${goQuote(value)}: invalid network address`);
    if (network !== '' && parsePrefix(network) === undefined) {
      wrong('network', network);
    }
    if (gateway !== '' && !isIp(gateway)) {
      wrong('gateway', gateway);
    }
    if (gateway === '' && network === '') {
      findings.error(routePath, `[${field}]: either network or gateway should be set`);
    }
    if (source !== '' && !isIp(source)) {
      wrong('source', source);
    }
  }
}
