import { CompactionRequest, DeleteRangeRequest, PutRequest } from '../../../src/api/etcd/kv.ts';
import { ETCD_3_4, ETCD_3_6 } from '../../../src/etcd/behaviour.ts';
import { CommitOrder } from '../../../src/lab/checkers/etcd/commit-order.ts';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import type { Random } from '../../../src/platform/random.ts';
import { KeyedRandom } from '../../../src/sim/random.ts';
import type { Problem } from '../fire/checks.ts';
import { type OneRequest, Replica, requestOf } from './replica.ts';

const STEPS = 120;
const KEYS = 3;

/**
 * A store of few keys that is compacted at its newest revisions and read back again and again, in releases that keep the
 * tombstone there and in one that does not: it goes on with the revision that it had (reference/etcd.md A2.2).
 */
export function compactionStorm(seed: number): Problem | undefined {
  const random = new KeyedRandom(String(seed + 1), 'compaction-storm');
  const problems: Problem[] = [];
  const order = new CommitOrder(
    (guarantee, detail) => problems.push({ guarantee, detail, atUs: 0 }),
    () => 0,
  );
  const replica = new Replica('000000000000000a', () => {}, random.chance(500_000) ? ETCD_3_4 : ETCD_3_6);
  for (let index = 1; index <= STEPS && problems.length === 0; index++) {
    const request = requestOf(index, draw(random, order.revision, index));
    order.applied('one', index, 1, request, replica.apply(index, request));
    if (random.chance(200_000)) replica.load(replica.image());
  }
  return problems[0];
}

function draw(random: Random, revision: number, index: number): OneRequest {
  const key = utf8Encode(`k${random.int(0, KEYS - 1)}`);
  const kind = random.int(0, 9);
  if (kind < 4) return { put: PutRequest.of({ key, value: utf8Encode(`v${index}`) }) };
  if (kind < 7) return { deleteRange: DeleteRangeRequest.of({ key }) };
  return { compaction: CompactionRequest.of({ revision: revision - random.int(0, 1) }) };
}
