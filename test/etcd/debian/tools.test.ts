import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InternalRaftRequest } from '../../../src/api/etcd/internal.ts';
import { scanSegment } from '../../../src/etcd/server/wal/reader.ts';
import { type DecodedRecord, decodeEntry, decodeMetadata, RecordType } from '../../../src/etcd/server/wal/records.ts';
import { utf8Decode, utf8Encode } from '../../../src/platform/bytes.ts';
import { DecodeError } from '../../../src/rpc/wire.ts';
import { untilOk } from '../helpers.ts';
import {
  followEtcdctl,
  followOurEtcdctl,
  type RunningServer,
  realEtcd,
  realEtcdctl,
  runEtcdctl,
  runOurEtcdctl,
  Workbench,
} from './servers.ts';

const etcd = realEtcd();
const etcdctl = realEtcdctl();

describe.skipIf(etcd === undefined || etcdctl === undefined)('the real etcdctl 3.4', () => {
  let bench: Workbench;
  let ours: RunningServer;
  let real: RunningServer;
  /** What our etcdctl is tried on, and the real one with it. */
  let ownBench: Workbench;
  let own: RunningServer;
  let peer: RunningServer;

  beforeAll(async () => {
    bench = new Workbench('127.0.66.11');
    ownBench = new Workbench('127.0.66.13');
    real = bench.startReal(etcd!, '127.0.66.12');
    peer = ownBench.startReal(etcd!, '127.0.66.14');
    ours = await bench.startOurs('127.0.66.11');
    own = await ownBench.startOurs('127.0.66.13');
    for (const server of [ours, real, own, peer]) {
      await server.run(() => untilOk(() => server.client.put({ key: utf8Encode('first') }, { timeoutUs: 15_000_000 })));
    }
  }, 60_000);
  afterAll(() => {
    bench.stop();
    ownBench.stop();
  });

  /** What a command prints, with what must differ made the same. */
  const plain = (text: string, server: RunningServer): string =>
    text
      .replaceAll(server.address, 'ADDRESS')
      .replace(/\b[0-9a-f]{14,16}\b/g, 'ID')
      .replace(/\b\d{15,20}\b/g, 'NUMBER')
      .replace(/took = \S+/g, 'took = TIME')
      .replace(/("Took" : |"took":)\S+/g, '$1TIME')
      .replace(/\| +[\d.]+m?s \|/g, '| TIME |')
      .replace(/remaining\(\d+s\)/g, 'remaining(SECONDS)')
      .replace(/("ttl":|"TTL" : )\d{4}\b/g, '$1SECONDS')
      // The code that newer releases generate from the same messages has names for these.
      .replace(
        /"Response(Range|Put|DeleteRange)"/g,
        (_all, op: string) => `"response_${op === 'DeleteRange' ? 'delete_range' : op.toLowerCase()}"`,
      )
      // Members come in the order of their ids, which are not the same on both.
      .replace(
        /ETCD_INITIAL_CLUSTER="(.*)"/,
        (_all, list: string) => `ETCD_INITIAL_CLUSTER="${list.split(',').sort()}"`,
      )
      .split('\n')
      .sort()
      .join('\n');

  const output = (server: RunningServer, args: readonly string[], input = ''): string =>
    plain(runEtcdctl(etcdctl!, server.address, args, input), server);

  const both = (line: string, input = ''): void => {
    const args = line.split(' ');
    expect(output(ours, args, input), line).toBe(output(real, args, input));
  };

  /** The same of the real tool and server, of the real tool and our server, and of ours both. */
  const all = async (line: string, input = ''): Promise<void> => {
    both(line, input);
    const args = line.split(' ').filter((word) => word !== '');
    const printed = plain(await runOurEtcdctl(ownBench, own.address, args, input), own);
    expect(printed, `our etcdctl ${line}`).toBe(output(peer, args, input));
  };

  it('prints the same of both servers, and as ours does', async () => {
    for (const format of ['simple', 'json', 'fields', 'table']) {
      await all(`put a 1 -w ${format}`);
      await all(`put a 2 --prev-kv -w ${format}`);
      await all(`get a --prefix -w ${format}`);
      await all(`lease grant 5000 -w ${format}`);
      await all(`lease list -w ${format}`);
      await all(`lease timetolive 12345 -w ${format}`);
      await all(`put k v --lease=12345 -w ${format}`);
      await all('txn -w '.concat(format), 'mod("b") = "0"\n\nput b x\nget b\n\nget b\ndel b --prev-kv\n\n');
      await all(`member list -w ${format}`);
      await all(`member remove 12345 -w ${format}`);
      // A table is as wide as the time it tells.
      if (format !== 'table') await all(`endpoint health -w ${format}`);
      await all(`del a --prev-kv -w ${format}`);
    }
    await all('put b --ignore-value');
    await all('txn', 'create("b") != "0"\nvalue("b") = "x"\n\nput b "y z" --prev-kv\n\nget b\n\n');
    await all('put binary \u0001\u00e9\u2028');
    await all('get binary -w fields');
    await all('get binary --hex');
    await all('get b --rev=9999');
    await all('get a --prefix --keys-only --order=DESCEND --sort-by=CREATE --limit=2');
    await all('compaction 3');
    await all('compaction 3');
    await all('get a --rev=2');
    await all('lease revoke 12345');
    await all('lease keep-alive 12345 --once');
    await all('lease keep-alive 12345');
    await all('alarm disarm');
    await all('move-leader 12345');
    await all('watch b --rev=1');
    for (const line of [
      ...['put r1 1', 'put r2 2', 'put r1 3', 'get r1 r3 --limit=1 -w json', 'get r --prefix --limit=1 -w fields'],
      ...[
        'get r2 --from-key --keys-only --limit=1',
        'get r --prefix --print-value-only',
        'get r --prefix --order=DESCEND',
      ],
      ...[
        'get r --prefix --sort-by=VERSION --order=ASCEND',
        'get r --prefix --sort-by=value',
        'get r1 --consistency=s',
      ],
      ...[
        'get r --prefix --order=descend --sort-by=modify',
        'get nothing -w json',
        'get nothing -w fields',
        'get r1 --rev=1',
      ],
      ...['get r1 --rev=-1', 'get r1 --limit=-1', 'get r1 --limit=0x1', 'get r1 --prefix=T', 'put r1 6 --ignore-lease'],
      ...['put r1 --ignore-value --ignore-lease', 'put nothing --ignore-value', 'lease timetolive 99 --keys -w json'],
      ...[
        'lease grant -- -5',
        'lease grant 0',
        'lease grant 9000000001',
        'compaction --physical 4',
        'compaction -- -1',
      ],
      ...['del r1 --prev-kv -w json', 'del r --prefix -w fields', 'del --from-key zz -w json', 'put "" x'],
    ]) {
      await all(line);
    }
    both('endpoint hashkv');
    both('alarm list');
  }, 120_000);

  it('is refused bad words in the same way as ours is', async () => {
    const lines = [
      ...['get', 'get a --prefix b', 'get a --from-key --prefix', 'get a --order=X', 'get a --sort-by=X'],
      ...['get a --consistency=x', 'get a --print-value-only -w json', 'get a -w yaml', 'put', 'put a --lease zz'],
      ...['put a b --ignore-value', 'put a b --lease zz', 'del', 'del a b c', 'del a --prefix b', 'watch'],
      ...['compaction', 'compaction x', 'compaction 1 2', 'compaction 999', 'lease grant', 'lease grant x'],
      ...['lease revoke', 'lease revoke zz', 'lease timetolive', 'lease keep-alive', 'lease keep-alive zz'],
      ...['member add', 'member add a', 'member add a b', 'member add a --peer-urls=', 'member remove'],
      ...['member remove zz', 'member update', 'member update 12', 'member promote', 'move-leader', 'move-leader zz'],
      ...['alarm list x', 'alarm disarm x', 'snapshot save', 'lock', 'elect', 'elect a', 'elect -l a b'],
      ...['endpoint hashkv --rev 9999', 'get a --command-timeout=1m30s'],
    ];
    for (const line of lines) await all(line);
    await all('txn', 'foo("a") = "0"\n\n\n\n');
    await all('txn', 'mod("a") = "x"\n\n\n\n');
    await all('txn', 'nonsense\n\n\n\n');
    await all('txn', 'mod(a) = "0"\n\n\n\n');
    await all('txn', '\nput q\n\n\n');
    await all('txn', '\nput q 1\nput q 2\n\n\n');
  }, 120_000);

  it('follows changes, locks and elections on both, and as ours does', async () => {
    for (const server of [own, peer]) {
      for (const line of ['put h1 a', 'put h1 b', 'del h1']) runEtcdctl(etcdctl!, server.address, line.split(' '));
    }
    const revision = await peer.run(() => peer.client.put({ key: utf8Encode('first') }));
    expect((await own.run(() => own.client.put({ key: utf8Encode('first') }))).header!.revision).toBe(
      revision.header!.revision,
    );
    for (const [format, count] of [
      ['simple', 13],
      ['json', 1],
      ['fields', 37],
    ] as const) {
      const args = ['watch', 'h1', '--prev-kv', `--rev=${revision.header!.revision - 3}`, '-w', format];
      const told = await followEtcdctl(etcdctl!, peer.address, args, count);
      expect(plain(await followOurEtcdctl(ownBench, own.address, args, count), own), format).toBe(plain(told, peer));
    }
    for (const server of [ours, real]) {
      const history = followEtcdctl(etcdctl!, server.address, ['watch', 'w', '--prefix', '--prev-kv', '--rev=4'], 13);
      const lock = followEtcdctl(etcdctl!, server.address, ['lock', 'mutex'], 1);
      const leader = followEtcdctl(etcdctl!, server.address, ['elect', 'post', 'me'], 2);
      const kept = followEtcdctl(etcdctl!, server.address, ['elect', '-l', 'post'], 2);
      for (const line of ['put w1 a', 'put w1 b', 'del w1']) runEtcdctl(etcdctl!, server.address, line.split(' '));
      expect(await history).toBe('PUT\nw1\na\nPUT\nw1\na\nw1\nb\nDELETE\nw1\nb\nw1\n\n');
      expect(await lock).toMatch(/^mutex\/[0-9a-f]+\n/);
      expect(await leader).toMatch(/^post\/[0-9a-f]+\nme\n/);
      expect(await kept).toMatch(/^post\/[0-9a-f]+\nme\n/);
    }
  }, 60_000);

  it('changes the membership of both alike', async () => {
    both('member list');
    both('member list -w table');
    both('member add m2 --peer-urls=http://127.0.66.77:2380 --learner');
    both('member add m3 --peer-urls=http://127.0.66.78:2380 --learner');
    // The id of a new member comes from its URLs and the second it is added in: in the same second as before it would
    // be the id that is refused.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
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
      const id = /^([0-9a-f]+), started/m.exec(list)![1]!;
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
