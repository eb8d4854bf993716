import { hostPort } from '../../platform/net.ts';
import { NodeError } from '../errors.ts';
import type { EtcdRules } from '../profile/profile.ts';
import type { EtcdSpecSpec } from '../resources/etcd.ts';
import { ETCD_CLIENT_PORT, ETCD_PEER_PORT } from './client.ts';

/** How etcd is to start: what is found in the data directory, and what was asked for. */
export type EtcdStart =
  | { readonly kind: 'new' }
  | { readonly kind: 'existing'; readonly initialCluster: string }
  | { readonly kind: 'from-data' };

/** `https://10.0.0.10:2380` for each address. */
export function urlsOf(addresses: readonly string[], port: number): readonly string[] {
  return addresses.map((address) => `https://${hostPort({ address, port })}`);
}

export function peerUrls(spec: EtcdSpecSpec): readonly string[] {
  return urlsOf(spec.advertisedAddresses, ETCD_PEER_PORT);
}

/**
 * The flags of etcd, sorted (reference/v1.11.3.md 2.1, 17.1). A computed flag gives way to one of the user's; a fixed
 * one must not be given.
 */
export function etcdArguments(rules: EtcdRules, spec: EtcdSpecSpec, start: EtcdStart): readonly string[] {
  const fixed: Record<string, string> = {
    ...rules.fixedFlags,
    name: spec.name,
    'listen-client-urls': urlsOf(spec.listenClientAddresses, ETCD_CLIENT_PORT).join(','),
    'listen-peer-urls': urlsOf(spec.listenPeerAddresses, ETCD_PEER_PORT).join(','),
  };
  for (const name of Object.keys(spec.extraArgs)) {
    if (Object.hasOwn(fixed, name)) throw new NodeError(`extra arg "${name}" is not allowed`);
  }
  const flags = { ...computedFlags(spec, start), ...spec.extraArgs, ...fixed };
  const names = Object.keys(flags).sort();
  return ['/usr/local/bin/etcd', ...names.map((name) => `--${name}=${flags[name]}`)];
}

function computedFlags(spec: EtcdSpecSpec, start: EtcdStart): Readonly<Record<string, string>> {
  const advertised = { 'advertise-client-urls': urlsOf(spec.advertisedAddresses, ETCD_CLIENT_PORT).join(',') };
  if (start.kind === 'from-data') return advertised;
  const own = peerUrls(spec);
  return {
    ...advertised,
    'initial-advertise-peer-urls': own.join(','),
    'initial-cluster': start.kind === 'new' ? own.map((url) => `${spec.name}=${url}`).join(',') : start.initialCluster,
    'initial-cluster-state': start.kind,
  };
}
