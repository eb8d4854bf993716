import { afterEach, describe, expect, it } from 'vitest';
import { RangeRequest } from '../../src/api/etcd/kv.ts';
import { ClusterService, MaintenanceService } from '../../src/api/etcd/services.ts';
import { EtcdEvent } from '../../src/etcd/events.ts';
import { PeerHeader, PeerService } from '../../src/etcd/server/peers/service.ts';
import { EtcdLinearizable } from '../../src/lab/checkers/etcd/etcd-linearizable.ts';
import { concatBytes, utf8Encode } from '../../src/platform/bytes.ts';
import type { Process } from '../../src/platform/containers.ts';
import { writeDurably } from '../../src/platform/disk.ts';
import type { Task } from '../../src/platform/task.ts';
import { get, leaderOf, members, others, put, READY, range, refusal, status } from './helpers.ts';
import { onDisk as onDiskOf, runOn as runOnNode, wipe as wipeNode } from './on-node.ts';
import { initialCluster, type Node, peerUrl, SimCluster } from './sim-cluster.ts';

const SECOND = 1_000_000;

describe('starting a member', () => {
  let cluster: SimCluster;
  afterEach(() => cluster.close());

  const runOn = (node: Node, args: readonly string[]) => runOnNode(cluster, node, args);
  const onDisk = (node: Node, body: (process: Process) => Task<void>): void => onDiskOf(cluster, node, body);
  const wipe = (node: Node): void => wipeNode(cluster, node);
  /** Holds every cluster to linearizability, as whole simulations are. */
  const follow = (): { checker: EtcdLinearizable; reports: string[] } => {
    const reports: string[] = [];
    return { checker: new EtcdLinearizable((detail) => reports.push(detail)), reports };
  };
  const start = (options: ConstructorParameters<typeof SimCluster>[0] = {}): SimCluster => {
    cluster = new SimCluster(options);
    cluster.sim.runFor(8 * SECOND);
    return cluster;
  };

  it('refuses a command line in the words and with the code of the real program', () => {
    start({ size: 1, spare: 1 });
    const spare = cluster.nodes[1]!;
    expect(runOn(spare, ['etcd', '--frobnicate'])).toMatchObject({
      code: 2,
      text: expect.stringMatching(/^flag provided but not defined: -frobnicate\nUsage:/),
    });
    expect(runOn(spare, ['etcd', '--listen-peer-urls=10.0.0.1:2380'])).toMatchObject({
      code: 2,
      text: expect.stringContaining(
        'invalid value "10.0.0.1:2380" for flag -listen-peer-urls: parse "10.0.0.1:2380": first path segment in URL cannot contain colon',
      ),
    });
    expect(runOn(spare, ['etcd', '--heartbeat-interval=500'])).toMatchObject({
      code: 1,
      text: expect.stringContaining(
        '--election-timeout[1000ms] should be at least as 5 times as --heartbeat-interval[500ms]',
      ),
    });
    expect(runOn(spare, ['etcd', '--discovery=http://x'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('--discovery=http://x is not simulated'),
    });
    expect(runOn(spare, ['etcd', '--version'])).toMatchObject({ code: 0, text: 'etcd Version: 3.6.5' });
    expect(runOn(spare, ['etcd', 'gateway', 'start'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('etcd gateway is not simulated'),
    });
    const taken = runOn(cluster.nodes[0]!, ['etcd', '--data-dir=/other', '--listen-peer-urls=http://0.0.0.0:2380']);
    expect(taken).toMatchObject({
      code: 1,
      text: expect.stringMatching(/"discovery failed","error":"listen tcp 0.0.0.0:2380: bind: address already in use"/),
    });
  });

  it('refuses to join without having been added, or under a name that is not on the list', () => {
    start({ size: 1, spare: 1 });
    const [first, spare] = cluster.nodes as [Node, Node];
    const list = initialCluster([first, spare]);
    expect(runOn(spare, cluster.arguments(spare, list, 'existing'))).toMatchObject({
      code: 1,
      text: expect.stringMatching(
        /error validating peerURLs \{ClusterID:[0-9a-f]+ Members:\[&\{ID:[0-9a-f]+ RaftAttributes:\{PeerURLs:\[http:\/\/10\.0\.0\.11:2380\] IsLearner:false\} Attributes:\{Name:m1 ClientURLs:\[http:\/\/10\.0\.0\.11:2379\]\}\}\] RemovedMemberIDs:\[\]\}: member count is unequal/,
      ),
    });
    expect(runOn(spare, cluster.arguments(spare, initialCluster([first]), 'existing'))).toMatchObject({
      code: 1,
      text: expect.stringContaining('couldn\'t find local name \\"m2\\" in the initial cluster configuration'),
    });
    const channel = cluster.channel(first);
    const elsewhere = ['http://10.0.0.99:2380'];
    cluster.run(() => channel.unary(ClusterService.MemberAdd, { peerUrls: elsewhere, isLearner: true }, READY));
    expect(runOn(spare, cluster.arguments(spare, list, 'existing')).text).toMatch(
      /: PeerURLs: no match found for existing member \([0-9a-f]+, \[http:\/\/10\.0\.0\.99:2380\]\), last resolver error \(resolved urls: \\"http:\/\/10\.0\.0\.99:2380\\" != \\"http:/,
    );
    const nobody = 'm2=http://10.0.0.12:2380,m9=http://10.0.0.99:2380';
    expect(runOn(spare, cluster.arguments(spare, nobody, 'existing'))).toMatchObject({
      code: 1,
      text: expect.stringContaining('could not retrieve cluster information from the given URLs'),
    });
  });

  it('leaves a data directory behind even when the start was refused', () => {
    start({ size: 1, spare: 1 });
    const [first, spare] = cluster.nodes as [Node, Node];
    runOn(spare, cluster.arguments(spare, initialCluster([first]), 'existing'));
    onDisk(spare, function* ({ platform }) {
      expect((yield* platform.disk.list('/etcd/member/snap')).map((info) => info.name)).toEqual(['db']);
    });
  });

  it('refuses to found a cluster again in place of a member that lost its disk', () => {
    start();
    const node = cluster.nodes[2]!;
    node.station.powerOff();
    node.station.powerOn();
    wipe(node);
    const { code, text } = runOn(node, node.args);
    expect(code).toBe(1);
    expect(text).toMatch(/member [0-9a-f]+ has already been bootstrapped/);
  });

  it('computes the ids that the real program computes', () => {
    start({ size: 1 });
    const channel = cluster.channel(cluster.nodes[0]!);
    const [member] = cluster.run(() => members(channel));
    expect(member!.id).toBe('9e80988e833ccb43');
  });

  it('keeps two clusters apart whose members reach each other by mistake', () => {
    start({ size: 1, spare: 1 });
    const [first, second] = cluster.nodes as [Node, Node];
    second.args = cluster.arguments(second, initialCluster([second]), 'new');
    cluster.start(second);
    cluster.sim.runFor(5 * SECOND);
    const ids = cluster.nodes.map((node) => cluster.run(() => status(cluster.channel(node))).header!.clusterId);
    expect(ids[0]).not.toBe(ids[1]);
    const refused: string[] = [];
    cluster.sim.on(EtcdEvent.PeerRefused, (event) => refused.push(String(event.fields.reason)));
    const channel = cluster.channel(first);
    cluster.run(() => channel.unary(ClusterService.MemberAdd, { peerUrls: [peerUrl(second)], isLearner: true }, READY));
    cluster.sim.runFor(5 * SECOND);
    expect(new Set(refused)).toEqual(new Set(['cluster ID mismatch']));
    cluster.run(() => put(cluster.channel(first), 'a', '1'));
    expect(cluster.run(() => get(cluster.channel(second), 'a'))).toBeUndefined();
    // A release that is too old, or that wants newer ones, is refused before anything else is looked at.
    const peerPort = cluster.ops.rpc.channel([{ address: first.address, port: 2380 }]);
    const as = (server: string, minimum: string): string =>
      cluster.run(() =>
        refusal(
          peerPort
            .stream(PeerService.Messages, {
              metadata: { [PeerHeader.ServerVersion]: server, [PeerHeader.MinClusterVersion]: minimum },
            })
            .receive(),
        ),
      );
    expect(as('2.3.8', '2.0.0')).toBe('FailedPrecondition: incompatible version');
    expect(as('4.0.0', '3.9.0')).toBe('FailedPrecondition: incompatible version');
    expect(as('3.5.0', '3.0.0')).toBe('FailedPrecondition: cluster ID mismatch');
  });

  it('tells a member that was removed while it was away, and the member ends', () => {
    start();
    const leader = leaderOf(cluster);
    const [away, other] = others(cluster, leader) as [Node, Node];
    away.station.powerOff();
    const channel = cluster.channel(leader, other);
    cluster.sim.runFor(6 * SECOND);
    const gone = cluster.run(() => members(channel)).find((member) => member.name === away.name)!;
    cluster.run(() => channel.unary(ClusterService.MemberRemove, { id: gone.id }, READY));
    away.station.powerOn();
    cluster.start(away);
    cluster.sim.runFor(10 * SECOND);
    expect(away.process!.exit.peek()?.code).toBe(0);
    expect(cluster.lines(away).join('\n')).toContain('the member has been permanently removed from the cluster');
    wipe(away);
    const refused = runOn(away, cluster.arguments(away, initialCluster(cluster.nodes), 'existing'));
    expect(refused.text).toContain('member count is unequal');
  });

  it('restores a snapshot as a new cluster, with later revisions if asked', () => {
    const { checker, reports } = follow();
    start({ observer: checker });
    cluster.sim.on(undefined, (event) => checker.take(event));
    const channel = cluster.channel(cluster.nodes[0]!);
    for (let i = 0; i < 10; i++) cluster.run(() => put(channel, `k${i}`, `v${i}`));
    const before = cluster.run(() => status(channel)).header!;
    const parts: Uint8Array[] = [];
    cluster.run(function* () {
      const stream = channel.stream(MaintenanceService.Snapshot);
      stream.send({});
      stream.closeSend();
      for (let part = yield* stream.receive(); part !== undefined; part = yield* stream.receive())
        parts.push(part.blob);
    });
    const births: unknown[] = [];
    cluster.sim.on(EtcdEvent.MemberStarted, (event) => births.push(event.fields.birth));
    for (const node of cluster.nodes) {
      node.station.powerOff();
      node.station.powerOn();
      wipe(node);
      onDisk(node, ({ platform }) => writeDurably(platform.disk, '/backup.db', concatBytes(parts)));
      const restored = runOn(node, [
        'etcdutl',
        'snapshot',
        'restore',
        '/backup.db',
        `--name=${node.name}`,
        '--data-dir=/etcd',
        `--initial-cluster=${initialCluster(cluster.nodes)}`,
        '--initial-cluster-token=again',
        `--initial-advertise-peer-urls=${peerUrl(node)}`,
        '--bump-revision=1000000',
        '--mark-compacted',
      ]);
      expect(restored).toEqual({
        code: 0,
        text: expect.stringMatching(/"msg":"restored snapshot".*"data-dir":"\/etcd"/),
      });
      expect(runOn(node, ['etcdutl', 'snapshot', 'restore', '/backup.db', '--data-dir=/etcd']).text).toContain(
        'not empty',
      );
      cluster.start(node);
    }
    cluster.sim.runFor(5 * SECOND);
    expect(births).toEqual(['restore', 'restore', 'restore']);
    const again = cluster.channel(cluster.nodes[1]!);
    const { kvs, header } = cluster.run(() => range(again, 'k', { rangeEnd: utf8Encode('l') }));
    expect(kvs.map((kv) => kv.modRevision)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(header!.clusterId).not.toBe(before.clusterId);
    expect(header!.revision).toBe(1_000_011);
    expect(() => cluster.run(() => range(again, 'k', { revision: 11 }))).toThrow('has been compacted');
    expect(cluster.run(() => members(again))).toHaveLength(3);
    // The new cluster is followed as any other, with the snapshot as its past.
    const read = checker.reads;
    cluster.run(() => put(again, 'k3', 'later'));
    expect(cluster.run(() => get(again, 'k3'))).toBe('later');
    expect(checker.reads).toBeGreaterThan(read);
    expect(reports).toEqual([]);
    const id = cluster.run(() => status(again)).header!.memberId;
    const wrong = { header: header!, kvs: [], more: false, count: 0 };
    checker.read(id, checker.readBegins(id), RangeRequest.of({ key: utf8Encode('k5') }), wrong);
    expect(reports.join()).toContain('stale read');
  });

  it('refuses a damaged snapshot unless told not to look', () => {
    start({ size: 1, spare: 1 });
    const spare = cluster.nodes[1]!;
    onDisk(spare, ({ platform }) => writeDurably(platform.disk, '/bad.db', new Uint8Array(512 + 32)));
    const restore = (file: string, ...more: readonly string[]): { code: number; text: string } =>
      runOn(spare, ['etcdutl', 'snapshot', 'restore', file, '--data-dir=/x', ...more]);
    expect(restore('/bad.db')).toMatchObject({
      code: 1,
      text: expect.stringMatching(/Error: expected sha256 \[0( 0){31}\], got \[\d+( \d+){31}\]/),
    });
    expect(restore('/bad.db', '--name=m2').text).toContain('couldn\'t find local name "m2" in the initial cluster');
    onDisk(spare, ({ platform }) => platform.disk.makeDirectory('/wal'));
    expect(restore('/bad.db', '--wal-dir=/wal').text).toContain('Error: wal-dir "/wal" exists');
    onDisk(spare, ({ platform }) => writeDurably(platform.disk, '/raw.db', new Uint8Array(512)));
    expect(runOn(spare, ['etcdutl', 'snapshot', 'restore', '/raw.db', '--data-dir=/x']).text).toContain(
      'snapshot missing hash but --skip-hash-check=false',
    );
  });

  it('goes on alone with --force-new-cluster, with its ids and its data', () => {
    const { checker, reports } = follow();
    start({ observer: checker });
    cluster.sim.on(undefined, (event) => checker.take(event));
    const channel = cluster.channel(...cluster.nodes);
    for (let i = 0; i < 5; i++) cluster.run(() => put(channel, `k${i}`, 'v'));
    cluster.sim.runFor(SECOND);
    const before = cluster.run(() => status(cluster.channel(cluster.nodes[0]!))).header!;
    for (const node of cluster.nodes) node.station.powerOff();
    const [survivor] = cluster.nodes as [Node, Node, Node];
    survivor.station.powerOn();
    survivor.args = [...survivor.args, '--force-new-cluster'];
    cluster.start(survivor);
    cluster.sim.runFor(5 * SECOND);
    const alone = cluster.channel(survivor);
    expect(cluster.run(() => members(alone)).map((member) => member.name)).toEqual([survivor.name]);
    expect(cluster.run(() => range(alone, 'k', { rangeEnd: utf8Encode('l') })).count).toBe(5);
    expect(cluster.run(() => status(alone)).header!.clusterId).toBe(before.clusterId);
    cluster.run(() => put(alone, 'more', 'x'));
    const read = checker.reads;
    const { header, kvs } = cluster.run(() => range(alone, 'k3'));
    expect(checker.reads).toBeGreaterThan(read);
    expect(reports).toEqual([]);
    checker.read(header!.memberId, 1, RangeRequest.of({ key: utf8Encode('k4') }), {
      header,
      kvs,
      more: false,
      count: 1,
    });
    expect(reports).toHaveLength(1);
  });

  it('stops for good when its log is damaged in the middle', () => {
    start({ size: 1 });
    const [node] = cluster.nodes as [Node];
    for (let i = 0; i < 20; i++) cluster.run(() => put(cluster.channel(node), `k${i}`, 'v'));
    node.station.powerOff();
    node.station.powerOn();
    onDisk(node, function* ({ platform }) {
      const [segment] = yield* platform.disk.list('/etcd/member/wal');
      const file = yield* platform.disk.open(`/etcd/member/wal/${segment!.name}`);
      const bytes = yield* file.read(700, 16);
      yield* file.write(
        700,
        bytes.map((byte) => byte ^ 0xff),
      );
      yield* file.sync();
      file.close();
    });
    const { code, text } = runOn(node, node.args);
    expect(code).toBe(1);
    expect(text).toContain('"msg":"discovery failed","error":"walpb: crc mismatch"');
  });
});
