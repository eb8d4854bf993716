/**
 * The descriptor tree of the machine configuration: one description of every document, struct and field,
 * walked by decoding, printing, merging, validation and `explain` (reference/network-config.md E.2, E.4).
 *
 * Decoded values are plain immutable JavaScript values keyed by YAML names:
 *  - a plain (non-pointer) field holding its zero value (`""`, 0, false, nil list) is *absent*;
 *  - a pointer field is absent when nil and present otherwise, also with `false`, `0`, `""` or `{}`;
 *  - a list or map written as `[]` or `{}` is present and empty, one written as null is absent;
 *  - integers beyond 2^53 are `bigint`; durations, URLs, prefixes and sizes are canonical text.
 */

/** A decoded value. Never `undefined`. */
export type ConfigValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly ConfigValue[]
  | { readonly [key: string]: ConfigValue };

/** A decoded struct, map or free-form object. */
export interface ConfigObject {
  readonly [key: string]: ConfigValue;
}

/** Result of decoding the text of a custom scalar. */
export type TextResult = { readonly value: string | number | bigint } | { readonly error: string };

/** A scalar with its own text form (duration, URL, prefix, byte size, enum, expression …). */
export interface TextCodec {
  /** Name shown by `explain` and in errors about the accepted form. */
  readonly name: string;
  /** Go type as it stands in decode errors, e.g. `time.Duration`. */
  readonly goType: string;
  /**
   * What the Go type accepts: `duration` only strings; `string` first decodes into a string, then parses;
   * `text` is a TextUnmarshaler, which sees the source text of any non-null scalar.
   */
  readonly via: 'duration' | 'string' | 'text';
  /** Parses to the canonical value, or says why not, in the words of the real tool. */
  readonly decode: (text: string) => TextResult;
  /** True when the canonical value is the zero of the Go type, which a plain field then does not hold. */
  readonly isZero: (value: string | number | bigint) => boolean;
  /** Text printed for the zero value where it is printed at all; empty unless given. */
  readonly zeroText?: string;
}

/** Go integer kinds; the width decides what overflows. */
export type IntKind = 'int' | 'int32' | 'int64' | 'uint' | 'uint8' | 'uint16' | 'uint32' | 'uint64';

export type Type =
  /** Any scalar is accepted and its source text kept, null leaves it empty. */
  | { readonly kind: 'string'; readonly goType: string }
  /** YAML 1.2 booleans and the YAML 1.1 words yes/no/on/off/y/n. */
  | { readonly kind: 'bool' }
  | { readonly kind: 'int'; readonly goType: string; readonly int: IntKind; readonly octal: boolean }
  | { readonly kind: 'text'; readonly codec: TextCodec }
  | { readonly kind: 'struct'; readonly struct: StructSpec }
  | {
      readonly kind: 'list';
      readonly goType: string;
      readonly element: Type;
      /** Go element is a pointer: a null element stays null; otherwise it is dropped. */
      readonly elementPointer: boolean;
      /** Set when the list has a merge of its own: which existing element a patch element meets. */
      readonly mergeBy?: ListMerge;
    }
  | {
      readonly kind: 'map';
      readonly goType: string;
      readonly value: Type;
      readonly valuePointer: boolean;
      /** Values are replaced per key, never merged deeper (extraArgs from v1.12). */
      readonly mergeValues?: 'replace';
    }
  /** Free-form object (`Unstructured`): anything below a mapping. */
  | { readonly kind: 'object'; readonly goType: string }
  /** A program argument: a string, from v1.12 on also a list of strings. */
  | { readonly kind: 'argument' };

/**
 * How a patch element finds its element (reference E.10 custom mergers): by the first of these fields that the
 * patch element has; `action` tells what happens to a match.
 */
export interface ListMerge {
  readonly keys: readonly string[];
  readonly action: 'merge' | 'replace';
}

/** When the printer writes a field that holds its zero value. */
export type PrintRule =
  /** Go `omitempty`: not printed when empty. */
  | 'omitempty'
  /** No `omitempty`: printed always (`null`, `""`, `[]`, `{}` as the type has it). */
  | 'always'
  /** Printed as `[]` when present and empty, honoured by the commenting encoder only (reference E.11). */
  | 'unless-nil';

/** Merge rule of a field besides the general ones (reference E.10). */
export type FieldMerge =
  | 'default'
  /** Replaced as a whole when the patch has it (`merge:"replace"`). */
  | 'replace'
  /** Copied from the patch unconditionally, so an absent one erases it (CEL expressions, byte sizes). */
  | 'copy';

export interface Field {
  /** YAML key. */
  readonly name: string;
  readonly type: Type;
  /** One line saying what the field is for. */
  readonly doc: string;
  /** Go pointer: absent differs from the zero value. Lists, maps and objects are nil-able without it. */
  readonly pointer: boolean;
  readonly print: PrintRule;
  /** Minor of the first release in which the field became `omitempty`. */
  readonly omitFrom?: number;
  readonly merge: FieldMerge;
  /** Minor of the first Talos 1.x release that knows the field (0: all simulated ones). */
  readonly since: number;
  /** Minor of the first release that no longer knows it (absent: still known). */
  readonly until?: number;
  /** What to use instead, when the field is deprecated. */
  readonly deprecated?: string;
  /** Default of the code when the field is absent, for `explain`. */
  readonly default?: string;
  /** Accepted words, for `explain`. */
  readonly values?: readonly string[];
  /** Secret material: redacted in diffs and reports. */
  readonly secret?: boolean;
}

export interface StructSpec {
  /** Go type as in decode errors, e.g. `v1alpha1.MachineConfig`. */
  readonly goType: string;
  /** Fields in printing order. */
  readonly fields: readonly Field[];
  /** Lookup by YAML key (no prototype, frozen). */
  readonly byName: Readonly<Record<string, Field>>;
}

/** A document kind. The legacy document has kind `v1alpha1` here and none in YAML. */
export interface DocumentSpec {
  readonly kind: string;
  readonly apiVersion: 'v1alpha1';
  readonly group: string;
  readonly struct: StructSpec;
  /** `name` is part of the identity; several documents of the kind may exist. */
  readonly named: boolean;
  readonly doc: string;
  readonly since: number;
  /** Other kinds that must not exist with the same name. */
  readonly conflictsWith: readonly string[];
}

/** A kind with the first release that knows it. */
export interface KnownKind {
  readonly kind: string;
  readonly since: number;
}
