import { OptionError, readEndpoint, readFlags } from '../flags.ts';

/** What the service was told on its command line. */
export interface ServiceOptions {
  readonly address: string;
  readonly port: number;
  readonly redirectEndpoint: string | undefined;
  /** Undefined: nothing is written down. */
  readonly snapshotPath: string | undefined;
  readonly snapshotIntervalUs: number;
}

const MINUTE_US = 60_000_000;
const FLAGS: readonly string[] = Object.freeze([
  'addr',
  'redirect-endpoint',
  'snapshots-enabled',
  'snapshot-path',
  'snapshot-interval',
]);

/** The flags of the real service that mean something here; others are refused by name. Throws OptionError. */
export function parseOptions(args: readonly string[]): ServiceOptions {
  const flags = readFlags(args, FLAGS);
  const last = (name: string, otherwise: string): string => flags.get(name)?.at(-1) ?? otherwise;
  const redirectEndpoint = last('redirect-endpoint', '');
  const enabled = last('snapshots-enabled', 'false');
  if (enabled !== 'true' && enabled !== 'false') throw new OptionError('snapshots-enabled: true or false expected');
  const minutes = /^([1-9]\d*)m$/.exec(last('snapshot-interval', '10m'));
  if (minutes === null) throw new OptionError('snapshot-interval: minutes expected, as in 10m');
  return {
    ...readEndpoint('addr', last('addr', ':3000')),
    redirectEndpoint: redirectEndpoint === '' ? undefined : redirectEndpoint,
    snapshotPath: enabled === 'true' ? last('snapshot-path', '/var/discovery-service/state.binpb') : undefined,
    snapshotIntervalUs: Number(minutes[1]) * MINUTE_US,
  };
}
