import { cidrContains, parseCidr, parseIpv4 } from './addresses.ts';
import type { Scenario } from './model.ts';
import type { Report } from './problem.ts';

/** Checks what stands beside the machines: addresses of the first network that nobody else has, and those they refer to. */
export function checkServices(scenario: Scenario, report: Report): void {
  const { loadBalancer, dns, networks, machines } = scenario;
  const taken = new Map<string, string>();
  for (const { name, gateway } of networks) if (gateway !== undefined) taken.set(gateway, `the gateway of ${name}`);
  for (const { name, address } of machines) taken.set(address, name);
  const stands = (name: string, address: string): void => {
    const path = ['services', name, 'address'];
    const cidr = parseCidr(networks[0]?.cidr ?? '');
    const parsed = parseIpv4(address);
    if (parsed === undefined) report(path, `"${address}" is not an IPv4 address`);
    else if (cidr !== undefined && !cidrContains(cidr, parsed))
      report(path, `${address} is outside ${networks[0]!.cidr}, where services stand`);
    const owner = taken.get(address);
    if (owner !== undefined) report(path, `address ${address} is already held by ${owner}`);
    taken.set(address, name);
  };
  if (loadBalancer !== undefined) {
    stands('loadBalancer', loadBalancer.address);
    checkAddresses(loadBalancer.backends, ['services', 'loadBalancer', 'backends'], report);
  }
  if (dns !== undefined) {
    stands('dns', dns.address);
    for (const [name, records] of Object.entries(dns.records))
      checkAddresses(records, ['services', 'dns', 'records', name], report);
  }
}

/** Reports what in a list is no address. */
export function checkAddresses(list: readonly string[], path: readonly PropertyKey[], report: Report): void {
  list.forEach((address, index) => {
    if (parseIpv4(address) === undefined) report([...path, index], `"${address}" is not an IPv4 address`);
  });
}
