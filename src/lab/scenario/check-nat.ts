import { INTERNET, INTERNET_ADDRESSES } from '../../world/layout.ts';
import { cidrContains, parseCidr, parseIpv4 } from './addresses.ts';
import type { NetworkSpec } from './model.ts';
import type { Report } from './problem.ts';

/** Checks the translation of a network's addresses. */
export function checkNat(network: NetworkSpec, all: readonly NetworkSpec[], report: Report): void {
  const { nat, name } = network;
  if (nat === undefined) return;
  const path = ['network', name, 'nat'];
  if (network.gateway === undefined) report(path, `network ${name} has no gateway that could translate its addresses`);
  const holder = holderOf(nat.address, name, all);
  if (holder !== undefined)
    report([...path, 'address'], holder, `give the site a free address of ${INTERNET.cidr}, the simulated internet`);
  const inside = parseCidr(network.cidr);
  nat.forwards.forEach(({ protocol, port, to }, index) => {
    const here = [...path, 'forward', index];
    const target = parseIpv4(to.address);
    if (target === undefined || (inside !== undefined && !cidrContains(inside, target)))
      report([...here, 'to'], `${to.address} is not an address of ${network.cidr}`);
    if (nat.forwards.findIndex((other) => other.protocol === protocol && other.port === port) !== index)
      report([...here, 'port'], `${protocol} port ${port} is forwarded twice`);
  });
}

/** Why a public address cannot be the site's; undefined when it can. */
function holderOf(address: string, site: string, all: readonly NetworkSpec[]): string | undefined {
  const parsed = parseIpv4(address);
  if (parsed === undefined) return `"${address}" is not an IPv4 address`;
  if (!cidrContains(parseCidr(INTERNET.cidr)!, parsed)) return `${address} is no public address`;
  if ([INTERNET.gateway, ...Object.values<string>(INTERNET_ADDRESSES)].includes(address))
    return `${address} is held by the simulated internet`;
  const other = all.find(({ name, nat }) => name !== site && nat?.address === address);
  return other === undefined ? undefined : `${address} is already the address of network ${other.name}`;
}
