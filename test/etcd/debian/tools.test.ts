import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InternalRaftRequest } from '../../../src/api/etcd/internal.ts';
import { scanSegment } from '../../../src/etcd/server/wal/reader.ts';
import { type DecodedRecord, decodeEntry, decodeMetadata, RecordType } from '../../../src/etcd/server/wal/records.ts';
import { utf8Decode, utf8Encode } from '../../../src/platform/bytes.ts';
import { DecodeError } from '../../../src/rpc/wire.ts';
import { untilOk } from '../helpers.ts';
import { type RunningServer, realEtcd, realEtcdctl, runEtcdctl, Workbench } from './servers.ts';

const etcd = realEtcd();
const etcdctl = realEtcdctl();

describe.skipIf(etcd === undefined || etcdctl === undefined)('the real etcdctl 3.4', () => {
  let bench: Workbench;
  let ours: RunningServer;
  let real: RunningServer;

  beforeAll(async () => {
    bench = new Workbench('127.0.66.11');
    real = bench.startReal(etcd!, '127.0.66.12');
    ours = await bench.startOurs('127.0.66.11');
    for (const server of [ours, real]) {
      await server.run(() => untilOk(() => server.client.put({ key: utf8Encode('first') }, { timeoutUs: 15_000_000 })));
    }
  }, 60_000);
  afterAll(() => bench.stop());

  /** What a command prints, with what must differ made the same. */
  const output = (server: RunningServer, args: readonly string[], input = ''): string =>
    runEtcdctl(etcdctl!, server.address, args, input)
      .replaceAll(server.address, 'ADDRESS')
      .replace(/\b[0-9a-f]{14,16}\b/g, 'ID')
      .replace(/\b\d{17,20}\b/g, 'NUMBER')
      .replace(/took = \S+/g, 'took = TIME')
      .replace(/remaining\(\d+s\)/g, 'remaining(SECONDS)')
      // Members come in the order of their ids, which are not the same on both.
      .replace(
        /ETCD_INITIAL_CLUSTER="(.*)"/,
        (_all, list: string) => `ETCD_INITIAL_CLUSTER="${list.split(',').sort()}"`,
      )
      .split('\n')
      .sort()
      .join('\n');

  const both = (line: string, input = ''): void => {
    const args = line.split(' ');
    expect(output(ours, args, input), line).toBe(output(real, args, input));
  };

  it('prints the same of both servers', () => {
    both('put a 1');
    both('put a 2 --prev-kv');
    both('get a -w json');
    both('get a --prefix -w fields');
    both('put b --ignore-value');
    both('del a --prev-kv');
    both('txn', 'mod("b") = "0"\n\nput b x\nget b\n\nget b\n\n');
    both('txn', 'mod("b") = "0"\n\nput b x\n\nget b\ndel b\n\n');
    both('get b --rev=9999');
    both('compaction 3');
    both('compaction 3');
    both('get a --rev=2');
    both('lease grant 5000');
    both('lease timetolive 12345');
    both('lease revoke 12345');
    both('lease keep-alive 12345 --once');
    both('endpoint health');
    both('endpoint hashkv');
    both('alarm list');
    both('alarm disarm');
    both('move-leader 12345');
    both('put x y --lease=12345');
  }, 60_000);

  it('changes the membership of both alike', () => {
    both('member list');
    both('member list -w table');
    both('member add m2 --peer-urls=http://127.0.66.77:2380 --learner');
    both('member add m3 --peer-urls=http://127.0.66.78:2380 --learner');
    both('member add m3 --peer-urls=http://127.0.66.77:2380');
    both('member add m3 --peer-urls=nonsense');
    for (const server of [ours, real]) {
      const [id] = / *([0-9a-f]+), unstarted/.exec(runEtcdctl(etcdctl!, server.address, ['member', 'list']))!.slice(1);
      expect(output(server, ['member', 'promote', id!])).toContain(
        'Error: etcdserver: can only promote a learner member which is in sync with leader',
      );
      expect(output(server, ['member', 'update', id!, '--peer-urls=http://127.0.66.79:2380'])).toContain(
        'updated in cluster',
      );
      expect(output(server, ['member', 'remove', id!])).toContain('removed from cluster');
      expect(output(server, ['member', 'remove', id!])).toContain('Error: etcdserver: member not found');
      expect(output(server, ['member', 'promote', id!])).toContain('Error: etcdserver: member not found');
    }
    both('member list');
    both('member remove 12345');
  }, 60_000);

  it('saves a snapshot of ours', () => {
    const file = join(bench.directory, 'snapshot.db');
    expect(output(ours, ['snapshot', 'save', file])).toContain(`Snapshot saved at ${file}`);
    expect(readFileSync(file).length % 512).toBe(32);
  });

  it('refuses the removal of the last member alike', async () => {
    for (const server of [ours, real]) {
      const list = runEtcdctl(etcdctl!, server.address, ['member', 'list']);
      const id = /^([0-9a-f]+), started/.exec(list)![1]!;
      expect(output(server, ['member', 'remove', id])).toContain(
        'Error: etcdserver: re-configuration failed due to not enough started members',
      );
    }
  });
});

describe.skipIf(etcd === undefined)("the real server's log", () => {
  it('is read by ours, record by record', async () => {
    const bench = new Workbench('127.0.66.21');
    try {
      const real = bench.startReal(etcd!, '127.0.66.22');
      await real.run(() => untilOk(() => real.client.put({ key: utf8Encode('first') }, { timeoutUs: 15_000_000 })));
      for (let i = 0; i < 20; i++) await real.run(() => real.client.put({ key: utf8Encode(`k${i}`) }));
      const directory = join(real.dataDir, 'member/wal');
      const [segment] = readdirSync(directory).filter((name) => name.endsWith('.wal'));
      const records: DecodedRecord[] = [];
      const result = scanSegment(readFileSync(join(directory, segment!)), true, 0, (record) => records.push(record));
      expect(result.end).toBe('complete');
      expect(decodeMetadata(records.find((record) => record.type === RecordType.Metadata)!.data).memberId).toMatch(
        /^[0-9a-f]{16}$/,
      );
      const keys = records
        .filter((record) => record.type === RecordType.Entry)
        .map((record) => decodeEntry(record.data))
        .flatMap((entry) => (entry.type === 0 && entry.data !== null ? [putIn(entry.data as Uint8Array)] : []))
        .filter((key) => key !== null);
      expect(keys).toEqual(['first', ...Array.from({ length: 20 }, (_, i) => `k${i}`)]);
    } finally {
      bench.stop();
    }
  }, 60_000);
});

/** The key that an entry puts; null for entries of other kinds, some of them in a format that 3.6 has no more. */
function putIn(data: Uint8Array): string | null {
  try {
    const { put } = InternalRaftRequest.decode(data);
    return put === null ? null : utf8Decode(put.key);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return null;
  }
}
