/** What the service was told on its command line. */
export interface ServiceOptions {
  readonly address: string;
  readonly port: number;
  readonly redirectEndpoint: string | undefined;
  /** Undefined: nothing is written down. */
  readonly snapshotPath: string | undefined;
  readonly snapshotIntervalUs: number;
}

/** A flag that is unknown or cannot be read. */
export class OptionError extends Error {}

const MINUTE_US = 60_000_000;

/** The flags of the real service that mean something here; others are refused by name. Throws OptionError. */
export function parseOptions(args: readonly string[]): ServiceOptions {
  const flags = new Map<string, string>();
  for (const arg of args) {
    const match = /^--?([a-z-]+)(?:=(.*))?$/.exec(arg);
    if (match === null) throw new OptionError(`unexpected argument ${JSON.stringify(arg)}`);
    flags.set(match[1]!, match[2] ?? 'true');
  }
  const take = (name: string, otherwise: string): string => {
    const value = flags.get(name) ?? otherwise;
    flags.delete(name);
    return value;
  };
  const listen = /^(.*):(\d+)$/.exec(take('addr', ':3000'));
  if (listen === null) throw new OptionError('addr: host:port expected');
  const redirectEndpoint = take('redirect-endpoint', '');
  const snapshots = take('snapshots-enabled', 'false') === 'true';
  const snapshotPath = take('snapshot-path', '/var/discovery-service/state.binpb');
  const minutes = /^(\d+)m$/.exec(take('snapshot-interval', '10m'));
  if (minutes === null) throw new OptionError('snapshot-interval: minutes expected, as in 10m');
  for (const name of flags.keys()) throw new OptionError(`flag provided but not defined: -${name}`);
  return {
    address: listen[1] === '' ? '0.0.0.0' : listen[1]!,
    port: Number(listen[2]),
    redirectEndpoint: redirectEndpoint === '' ? undefined : redirectEndpoint,
    snapshotPath: snapshots ? snapshotPath : undefined,
    snapshotIntervalUs: Number(minutes[1]) * MINUTE_US,
  };
}
