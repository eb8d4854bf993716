import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import type { Log } from '../../../platform/log.ts';
import { hostnameSet } from '../../events.ts';
import { HostnameSpecs, HostnameStatuses } from '../../resources/network.ts';

/** Sets the machine's name. */
export function hostnameSpecController(log: Log): Controller {
  return passController({
    name: 'network.HostnameSpecController',
    inputs: [weak(HostnameSpecs)],
    outputs: [exclusive(HostnameStatuses)],
    pass: (context) => {
      const wanted = context.get(HostnameSpecs, 'hostname');
      if (wanted === undefined || wanted.metadata.phase === 'tearingDown') return undefined;
      const { hostname, domainname } = wanted.spec;
      const before = context.get(HostnameStatuses, 'hostname')?.spec.hostname;
      context.set(HostnameStatuses, 'hostname', { hostname, domainname });
      if (before !== hostname) log.event(hostnameSet, { hostname });
      return undefined;
    },
  });
}

/** Name with its domain. */
export function fqdn(status: { readonly hostname: string; readonly domainname: string }): string {
  return status.domainname === '' ? status.hostname : `${status.hostname}.${status.domainname}`;
}

/** Splits a name from its domain, as {@link fqdn} joins them. */
export function splitFqdn(name: string): { readonly hostname: string; readonly domainname: string } {
  const dot = name.indexOf('.');
  if (dot < 0) return { hostname: name, domainname: '' };
  return { hostname: name.slice(0, dot), domainname: name.slice(dot + 1) };
}
