import { randomInt } from 'node:crypto';

/**
 * Addresses for the machines of one test on this host: all of 127.0.0.0/8 is its own, and tests that run at the same
 * time, also those of others, each draw a network of their own, so that the ports in it are free.
 */
export function loopbackNetwork(): (host: number) => string {
  const network = `127.${randomInt(1, 255)}.${randomInt(0, 256)}`;
  return (host) => `${network}.${host}`;
}
