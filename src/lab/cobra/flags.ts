import { parseBool } from '../../platform/text/boolean.ts';
import { parseDurationUs } from '../../platform/text/duration.ts';
import { parseInteger } from '../../platform/text/integer.ts';

export type FlagType = 'string' | 'bool' | 'int' | 'duration' | 'strings' | 'stringArray';
export type FlagValue = string | boolean | number | readonly string[];

/** One flag of a command, as spf13/pflag knows it. */
export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  readonly type: FlagType;
  readonly default: FlagValue;
  readonly usage: string;
  readonly hidden?: boolean;
  readonly required?: boolean;
}

/** `strings` splits on commas and repeats, `stringArray` only repeats; durations are microseconds. */
export function flag(
  name: string,
  type: FlagType,
  defaultValue: FlagValue,
  usage: string,
  more: Partial<FlagSpec> = {},
): FlagSpec {
  return { name, type, default: defaultValue, usage, ...more };
}

/** Values of flags after parsing; `changed` tells which were given. */
export class FlagValues {
  #values = new Map<string, FlagValue>();
  #changed = new Set<string>();

  constructor(specs: readonly FlagSpec[]) {
    for (const spec of specs) this.#values.set(spec.name, spec.default);
  }

  changed(name: string): boolean {
    return this.#changed.has(name);
  }

  text(name: string): string {
    return this.#values.get(name) as string;
  }

  on(name: string): boolean {
    return this.#values.get(name) as boolean;
  }

  number(name: string): number {
    return this.#values.get(name) as number;
  }

  list(name: string): readonly string[] {
    return this.#values.get(name) as readonly string[];
  }

  /** Stores a given text. Returns pflag's complaint when it does not fit the type. */
  set(spec: FlagSpec, text: string): string | undefined {
    const value = parseValue(spec, text);
    if (typeof value === 'object' && 'complaint' in value) {
      const shown = spec.short === undefined ? `--${spec.name}` : `-${spec.short}, --${spec.name}`;
      return `invalid argument "${text}" for "${shown}" flag: ${value.complaint}`;
    }
    const isList = spec.type === 'strings' || spec.type === 'stringArray';
    const earlier = isList && this.#changed.has(spec.name) ? this.list(spec.name) : [];
    this.#values.set(spec.name, isList ? [...earlier, ...(value as readonly string[])] : (value as FlagValue));
    this.#changed.add(spec.name);
    return undefined;
  }
}

function parseValue(spec: FlagSpec, text: string): FlagValue | { complaint: string } {
  switch (spec.type) {
    case 'string':
      return text;
    case 'bool':
      return parseBool(text) ?? { complaint: `strconv.ParseBool: parsing "${text}": invalid syntax` };
    case 'int': {
      const value = parseInteger(text, 'int');
      return typeof value === 'bigint' ? Number(value) : { complaint: `strconv.ParseInt: parsing "${text}": ${value}` };
    }
    case 'duration': {
      const us = parseDurationUs(text);
      if (us !== undefined) return us;
      if (/^[+-]?\d+(\.\d+)?$/.test(text)) return { complaint: `time: missing unit in duration "${text}"` };
      return { complaint: `time: invalid duration "${text}"` };
    }
    case 'strings':
      return text === '' ? [] : splitCsv(text);
    case 'stringArray':
      return [text];
    default:
      return spec.type satisfies never;
  }
}

/** One CSV record, as pflag's string slices read it. */
function splitCsv(text: string): string[] {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const end = text.indexOf('"', at + 1);
      fields.push(text.slice(at + 1, end < 0 ? text.length : end));
      at = end < 0 ? text.length : end + 1;
    } else {
      const comma = text.indexOf(',', at);
      fields.push(text.slice(at, comma < 0 ? text.length : comma));
      at = comma < 0 ? text.length : comma;
    }
    if (at >= text.length) return fields;
    at++;
  }
}
