import { type Endpoint, parseHostPort } from '../../platform/net.ts';

const DEFAULT_PORT = 2379;

/** An endpoint as users write it: `10.0.0.10:2379`, `https://10.0.0.10:2379`, `[fd00::1]:2379`. Null when it is none. */
export function parseEndpoint(text: string): Endpoint | null {
  const endpoint = parseHostPort(text.replace(/^[a-z]+:\/\//, '').replace(/\/+$/, ''), DEFAULT_PORT);
  return endpoint?.address === 'localhost' ? { ...endpoint, address: '127.0.0.1' } : endpoint;
}
