import { type Compare, CompareResult, CompareTarget, NO_LEASE } from '../../../../api/etcd/kv.ts';
import type { KeySpace, Version } from './key-space.ts';
import { intervalOf, textOf } from './keys.ts';

/**
 * Whether a comparison of a transaction holds at a revision: for every key of its range; for an absent key everything is zero, but a
 * comparison of its value fails (reference/etcd.md A6).
 */
export function conditionHolds(keys: KeySpace, compare: Compare, revision: number): boolean {
  const found: Version[] = [];
  keys.each(intervalOf(compare.key, compare.rangeEnd), revision, (version) => found.push(version));
  if (found.length > 0) return found.every((version) => compareOne(compare, version));
  return compare.target !== CompareTarget.Value && compareOne(compare, null);
}

function compareOne(compare: Compare, version: Version | null): boolean {
  const [actual, wanted] = operands(compare, version);
  switch (compare.result) {
    case CompareResult.Equal:
      return actual === wanted;
    case CompareResult.NotEqual:
      return actual !== wanted;
    case CompareResult.Greater:
      return actual > wanted;
    case CompareResult.Less:
      return actual < wanted;
    default:
      return true;
  }
}

type Operands = readonly [number, number] | readonly [string, string] | readonly [bigint, bigint];

function operands(compare: Compare, version: Version | null): Operands {
  switch (compare.target) {
    case CompareTarget.Version:
      return [version?.version ?? 0, compare.version];
    case CompareTarget.Create:
      return [version?.createRevision ?? 0, compare.createRevision];
    case CompareTarget.Mod:
      return [version?.modRevision ?? 0, compare.modRevision];
    case CompareTarget.Value:
      return [version === null ? '' : textOf(version.value), textOf(compare.value)];
    default:
      return [signed(version?.lease ?? NO_LEASE), signed(compare.lease)];
  }
}

/** A lease id as the signed number that it stands for. */
function signed(id: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${id}`));
}
