import type { Reader } from '../../cosi/index.ts';
import { sortedUnique } from '../net/addresses.ts';
import { Endpoints } from '../resources/k8s.ts';

/** Addresses of all control planes that anybody knows of, the VIP included (reference/controllers.md B.5.1). */
export function mergedAddresses(reader: Pick<Reader, 'list'>): readonly string[] {
  return sortedUnique(reader.list(Endpoints).flatMap(({ spec }) => spec.addresses));
}
