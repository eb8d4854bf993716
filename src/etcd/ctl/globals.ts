import { boolFlag, durationFlag, type FlagSpec, type FlagSpecs, listFlag, textFlag } from './flags.ts';

export const WRITE_OUT_FLAG: FlagSpec = Object.freeze(
  textFlag('set the output format (fields, json, protobuf, simple, table)', 'simple', 'w'),
);

/** Flags of every command of etcdctl. */
export const GLOBAL_FLAGS: FlagSpecs = Object.freeze({
  endpoints: listFlag('gRPC endpoints', '127.0.0.1:2379'),
  cacert: textFlag('verify certificates of TLS-enabled secure servers using this CA bundle'),
  cert: textFlag('identify secure client using this TLS certificate file'),
  key: textFlag('identify secure client using this TLS key file'),
  'write-out': WRITE_OUT_FLAG,
  hex: boolFlag('print byte strings as hex encoded strings'),
  debug: boolFlag('enable client-side debug logging'),
  'dial-timeout': durationFlag('dial timeout for client connections', '2s'),
  'command-timeout': durationFlag('timeout for short running command (excluding dial timeout)', '5s'),
  'keepalive-time': durationFlag('keepalive time for client connections', '2s'),
  'keepalive-timeout': durationFlag('keepalive timeout for client connections', '6s'),
  'insecure-transport': boolFlag('disable transport security for client connections', true),
  'insecure-skip-tls-verify': boolFlag(
    'skip server certificate verification (CAUTION: this option should be enabled only for testing purposes)',
  ),
  'insecure-discovery': boolFlag('accept insecure SRV records describing cluster endpoints', true),
  'discovery-srv': textFlag('domain name to query for SRV records describing cluster endpoints', '', 'd'),
  'discovery-srv-name': textFlag('service name to query when using DNS discovery'),
  user: textFlag('username[:password] for authentication (prompt if password is not supplied)'),
  password: textFlag("password for authentication (if this option is used, --user option shouldn't include password)"),
});
