import { parseBool } from '../../../platform/text/boolean.ts';
import { parseDurationUs } from '../../../platform/text/duration.ts';
import { parseInteger } from '../../../platform/text/integer.ts';
import type { TlsFiles } from './config.ts';
import { FEATURE_GATES, FLAGS, GATED_FLAGS } from './flag-table.ts';
import type { ParsedFlags } from './parse.ts';
import { distinctUrls, type EtcdUrl, parseUrls } from './urls.ts';
import { gateParts } from './values.ts';

/** The values of a command line, read as what they are. All of them fit their flags. */
export class FlagValues {
  readonly #flags: ParsedFlags;

  constructor(flags: ParsedFlags) {
    this.#flags = flags;
  }

  given(name: string): boolean {
    return this.#flags.given.has(name);
  }

  text(name: string): string {
    return this.#flags.values[name]!;
  }

  /** What it is when not given. */
  initial(name: string): string {
    return FLAGS[name]!.initial;
  }

  bool(name: string): boolean {
    return parseBool(this.text(name)) ?? false;
  }

  number(name: string): number {
    return Number(parseInteger(this.text(name), FLAGS[name]!.kind === 'int' ? 'int' : 'uint'));
  }

  durationUs(name: string): number {
    return parseDurationUs(this.text(name))!;
  }

  /** Sorted and distinct. An empty text stands for the list by default. */
  urls(name: string): readonly EtcdUrl[] {
    const text = this.text(name) === '' ? this.initial(name) : this.text(name);
    return text === '' ? [] : distinctUrls(parseUrls(text) as readonly EtcdUrl[]);
  }

  /** The name under which a value was given that 3.6 knows by two: with and without `experimental-`. */
  newer(name: string): string {
    const before = `experimental-${name}`;
    return this.given(before) ? before : name;
  }

  /** A feature, switched by its gate or by the flag that it had before. */
  gate(name: string): boolean {
    for (const flag of Object.keys(GATED_FLAGS))
      if (GATED_FLAGS[flag] === name && this.given(flag)) return this.bool(flag);
    let value = FEATURE_GATES[name]!;
    for (const [gate, setting] of gateParts(this.text('feature-gates'))) {
      if (gate === name) value = parseBool(setting!)!;
    }
    return value;
  }

  tls(prefix: '' | 'peer-'): TlsFiles {
    const clientPrefix = prefix === '' ? 'client-' : 'peer-client-';
    return {
      certFile: this.text(`${prefix}cert-file`),
      keyFile: this.text(`${prefix}key-file`),
      clientCertFile: this.text(`${clientPrefix}cert-file`),
      clientKeyFile: this.text(`${clientPrefix}key-file`),
      trustedCaFile: this.text(`${prefix}trusted-ca-file`),
      clientCertAuth: this.bool(`${prefix}client-cert-auth`),
    };
  }
}
