import type { Endpoint } from '../platform/net.ts';
import { ipBytes } from '../platform/x509/ip.ts';

/** A flag that is unknown, missing or cannot be read. */
export class OptionError extends Error {}

/** The values of `--name=value`, several for a repeated flag. A flag without a value is `true`. Throws OptionError. */
export function readFlags(args: readonly string[], known: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const flags = new Map<string, string[]>();
  for (const arg of args) {
    const match = /^--?([a-z][a-z-]*)(?:=(.*))?$/.exec(arg);
    if (match === null) throw new OptionError(`unexpected argument ${JSON.stringify(arg)}`);
    const [, name = '', value = 'true'] = match;
    if (!known.includes(name)) throw new OptionError(`flag provided but not defined: -${name}`);
    const values = flags.get(name) ?? [];
    flags.set(name, [...values, value]);
  }
  return flags;
}

/** `10.0.0.9:443`, `[fd00::9]:443`, or `:443` for every address of the machine. Throws OptionError. */
export function readEndpoint(flag: string, text: string): Endpoint {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new OptionError(`${flag}: address:port expected, not ${JSON.stringify(text)}`);
  const address = (match[1] ?? match[2]) || '0.0.0.0';
  if (ipBytes(address) === null) throw new OptionError(`${flag}: ${JSON.stringify(address)} is not an IP address`);
  return { address, port };
}
