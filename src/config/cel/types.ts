/** Types of expressions as texts, e.g. `list(string)`; `error` of a part is reported once and then agrees with all. */
import type { CelType } from './env.ts';

/** The type inside `list(…)`; undefined for others. */
export function elementOf(type: CelType): CelType | undefined {
  return type.startsWith('list(') ? type.slice(5, -1) : undefined;
}

/** Key and value of `map(…, …)`; undefined for others. Keys are never maps themselves. */
export function entryOf(type: CelType): readonly [CelType, CelType] | undefined {
  if (!type.startsWith('map(')) {
    return undefined;
  }
  const comma = type.indexOf(', ');
  return [type.slice(4, comma), type.slice(comma + 2, -1)];
}

export function isAny(type: CelType): boolean {
  return type === 'dyn' || type === 'error';
}

/** Whether two types may be one. */
export function agree(a: CelType, b: CelType): boolean {
  if (a === b || isAny(a) || isAny(b)) {
    return true;
  }
  const [items, others] = [elementOf(a), elementOf(b)];
  if (items !== undefined && others !== undefined) {
    return agree(items, others);
  }
  const [left, right] = [entryOf(a), entryOf(b)];
  if (left !== undefined && right !== undefined) {
    return agree(left[0], right[0]) && agree(left[1], right[1]);
  }
  return (
    (a.startsWith('type(') && b.startsWith('type(')) || (a === 'null' && nullable(b)) || (b === 'null' && nullable(a))
  );
}

/** Messages may be null, and so may times. */
function nullable(type: CelType): boolean {
  return type.includes('.') || type === 'timestamp' || type === 'duration';
}

/** The type that stands for both, which agree. */
export function moreGeneral(a: CelType, b: CelType): CelType {
  return b === 'dyn' || a === 'null' ? b : a;
}

/** The type of the elements of a list: dyn when they differ. */
export function joined(types: readonly CelType[]): CelType {
  const [first = 'dyn', ...rest] = types;
  return rest.reduce((all, type) => (agree(all, type) ? moreGeneral(all, type) : 'dyn'), first);
}

/** The name of a type at run time. */
export function runtimeName(type: CelType): string {
  return type
    .replaceAll(/\bnull\b/g, 'null_type')
    .replaceAll(
      /\b(duration|timestamp)\b/g,
      (name) => `google.protobuf.${name === 'duration' ? 'Duration' : 'Timestamp'}`,
    );
}
