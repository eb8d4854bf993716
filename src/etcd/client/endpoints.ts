import type { Endpoint } from '../../platform/net.ts';

const DEFAULT_PORT = 2379;

/** An endpoint as users write it: `10.0.0.10:2379`, `https://10.0.0.10:2379`, `[fd00::1]:2379`. Null when it is none. */
export function parseEndpoint(text: string): Endpoint | null {
  const bare = text.replace(/^[a-z]+:\/\//, '').replace(/\/+$/, '');
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(bare);
  if (match === null) return null;
  const host = match[1] ?? match[2]!;
  const port = match[3] === undefined ? DEFAULT_PORT : Number.parseInt(match[3], 10);
  return { address: host === 'localhost' ? '127.0.0.1' : host, port };
}
