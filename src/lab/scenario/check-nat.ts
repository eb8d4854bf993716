import { INTERNET, INTERNET_ADDRESSES } from '../../world/layout.ts';
import { cidrContains, parseCidr, parseIpv4 } from './addresses.ts';
import type { NetworkSpec } from './model.ts';

interface NatProblem {
  /** Below `network.NAME.nat`. */
  readonly at: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string;
}

/** What is wrong with the translation of a network's addresses. */
export function natProblems(network: NetworkSpec, all: readonly NetworkSpec[]): readonly NatProblem[] {
  const { nat, name } = network;
  if (nat === undefined) return [];
  const problems: NatProblem[] = [];
  if (network.gateway === undefined)
    problems.push({ at: [], message: `network ${name} has no gateway that could translate its addresses` });
  const holder = holderOf(nat.address, name, all);
  if (holder !== undefined)
    problems.push({
      at: ['address'],
      message: holder,
      hint: `give the site a free address of ${INTERNET.cidr}, the simulated internet`,
    });
  const inside = parseCidr(network.cidr);
  nat.forwards.forEach(({ protocol, port, to }, index) => {
    const target = parseIpv4(to.address);
    if (target === undefined || (inside !== undefined && !cidrContains(inside, target)))
      problems.push({ at: ['forward', index, 'to'], message: `${to.address} is not an address of ${network.cidr}` });
    if (nat.forwards.findIndex((other) => other.protocol === protocol && other.port === port) !== index)
      problems.push({ at: ['forward', index, 'port'], message: `${protocol} port ${port} is forwarded twice` });
  });
  return problems;
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
