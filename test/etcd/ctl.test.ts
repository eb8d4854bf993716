import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CtlContext } from '../../src/etcd/ctl/context.ts';
import { etcdctl, etcdctlProblem } from '../../src/etcd/ctl/etcdctl.ts';
import type { Task } from '../../src/platform/task.ts';
import { leaderOf } from './helpers.ts';
import { SimCluster } from './sim-cluster.ts';

const SECOND = 1_000_000;

interface Output {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('etcdctl', () => {
  let cluster: SimCluster;
  const files = new Map<string, Uint8Array>();
  let endpoints = '';

  beforeAll(() => {
    cluster = new SimCluster();
    cluster.sim.runFor(8 * SECOND);
    endpoints = cluster.nodes.map(({ address }) => `${address}:2379`).join(',');
  });
  afterAll(() => cluster.close());

  function* start(line: string, stdin: string, output: { out: string; err: string }): Task<number> {
    const context: CtlContext = {
      linger: () => {},
      ports: cluster.ops,
      env: { ETCDCTL_ENDPOINTS: endpoints },
      readFile: (path) => files.get(path),
      writeFile: (path, content) => files.set(path, content),
      stdin,
      out: (text) => {
        output.out += text;
      },
      err: (text) => {
        output.err += text;
      },
      version: '3.6.5',
    };
    return yield* etcdctl(line.split(' '), context);
  }

  const run = (line: string, stdin = ''): Output => {
    const output = { out: '', err: '' };
    const code = cluster.run(() => start(line, stdin, output), 120 * SECOND);
    return { code, ...output };
  };

  it('puts, gets and deletes as lines of text', () => {
    expect(run('put foo bar')).toEqual({ code: 0, out: 'OK\n', err: '' });
    expect(run('put foo baz --prev-kv').out).toBe('OK\nfoo\nbar\n');
    expect(run('get foo').out).toBe('foo\nbaz\n');
    expect(run('get foo --print-value-only').out).toBe('baz\n');
    expect(run('get foo --hex').out).toBe('\\x66\\x6f\\x6f\n\\x62\\x61\\x7a\n');
    expect(run('get fo --prefix --keys-only').out).toBe('foo\n\n');
    expect(run('del foo --prev-kv').out).toBe('1\nfoo\nbaz\n');
    expect(run('get foo').out).toBe('');
  });

  it('prints JSON as Go does', () => {
    run('put j v');
    const out = run('get j -w json').out;
    expect(out).toMatch(
      /^\{"header":\{"cluster_id":\d+,"member_id":\d+,"revision":\d+,"raft_term":2\},"kvs":\[\{"key":"ag==","create_revision":\d+,"mod_revision":\d+,"version":1,"value":"dg=="\}\],"count":1\}\n$/,
    );
    expect(run('get absent -w json').out).toMatch(/"raft_term":2\}\}\n$/);
  });

  it('runs a transaction from standard input', () => {
    run('put t 1');
    const stdin = 'value("t") = "1"\nversion("t") > "0"\n\nput t 2\nget t\n\ndel t\n\n';
    for (const cut of ['', '\n', '\n\n', 'bogus', 'version("t") > "0"\n\nput t 9\n', stdin.slice(0, -1)])
      expect(run('txn', cut), cut).toEqual({ code: 3, out: '', err: 'Error: EOF\n' });
    expect(run('txn', stdin).out).toBe('SUCCESS\n\nOK\n\nt\n2\n');
    expect(run('txn', stdin).out).toBe('FAILURE\n\n1\n');
    expect(run('txn', 'nonsense\n\n')).toMatchObject({ code: 3, err: 'Error: malformed comparison: nonsense\n' });
  });

  it('lists members in every format', () => {
    const simple = run('member list').out.split('\n');
    expect(simple[0]).toMatch(
      /^[0-9a-f]+, started, m\d, http:\/\/10\.0\.0\.1\d:2380, http:\/\/10\.0\.0\.1\d:2379, false$/,
    );
    expect(simple).toHaveLength(4);
    const table = run('member list -w table').out.split('\n');
    expect(table[1]).toMatch(/^\| +ID +\| STATUS {2}\| NAME \| +PEER ADDRS +\| +CLIENT ADDRS +\| IS LEARNER \|$/);
    expect(table[3]).toMatch(/^\| +[0-9a-f]+ \| started \| {3}m\d \| .* \| {6}false \|$/);
    expect(run('member list -w json').out).toMatch(/"members":\[\{"ID":\d+,"name":"m\d","peerURLs":\["http/);
    expect(run('member list -w json --hex').out).toMatch(/^\{"header":\{"cluster_id":"[0-9a-f]+"/);
  });

  it('adds, promotes too early, updates and removes a member', () => {
    const added = run('member add m4 --peer-urls=http://10.0.0.99:2380 --learner').out.split('\n');
    expect(added[0]).toMatch(/^Member +[0-9a-f]+ added as learner to cluster +[0-9a-f]+$/);
    expect(added[2]).toBe('ETCD_NAME="m4"');
    expect(added[3]).toContain('m4=http://10.0.0.99:2380');
    expect(added[5]).toBe('ETCD_INITIAL_CLUSTER_STATE="existing"');
    const id = /Member +([0-9a-f]+)/.exec(added[0]!)![1]!;
    expect(run(`member promote ${id}`)).toMatchObject({
      code: 1,
      err: 'Error: etcdserver: can only promote a learner member which is in sync with leader\n',
    });
    expect(run('member add m5 --peer-urls=http://10.0.0.98:2380 --learner').err).toBe(
      'Error: etcdserver: too many learner members in cluster\n',
    );
    expect(run('member add m5 --peer-urls=http://10.0.0.99:2380 --learner').err).toBe(
      'Error: etcdserver: member ID already exist\n',
    );
    cluster.sim.runFor(SECOND);
    expect(run('member add m5 --peer-urls=http://10.0.0.99:2380 --learner').err).toBe(
      'Error: etcdserver: Peer URLs already exists\n',
    );
    expect(run(`member update ${id} --peer-urls=http://10.0.0.97:2380`).out).toMatch(/updated in cluster/);
    expect(run('member list').out).toContain(', unstarted, , http://10.0.0.97:2380, , true\n');
    expect(run(`member remove ${id}`).out).toMatch(/removed from cluster/);
    expect(run(`member remove ${id}`).err).toBe('Error: etcdserver: member not found\n');
    expect(run('member remove zz').code).toBe(128);
  });

  it('tells health and status of every endpoint', () => {
    const health = run('endpoint health');
    expect(health.out.split('\n')[0]).toMatch(
      /^10\.0\.0\.11:2379 is healthy: successfully committed proposal: took = [\d.]+(ms|µs)$/,
    );
    const status = run('endpoint status --cluster').out.split('\n');
    expect(status[0]).toMatch(
      /^http:\/\/10\.0\.0\.1\d:2379, [0-9a-f]+, 3\.6\.5, 3\.6\.0, \d+ kB, \d+ kB, \d+%, 0 B, (true|false), false, 2, \d+, \d+, , , false$/,
    );
    expect(status.filter((line) => line.includes(', true, false, 2,'))).toHaveLength(1);
    expect(run('endpoint status -w json').out).toMatch(/^\[\{"Endpoint":"10\.0\.0\.11:2379","Status":\{"header":\{/);
    const hashes = run('endpoint hashkv').out.trim().split('\n');
    expect(new Set(hashes.map((line) => line.split(', ')[1])).size).toBe(1);
  });

  it('says which endpoint is unhealthy and exits with 1', () => {
    const { code, out, err } = run(`endpoint health --endpoints=${cluster.nodes[0]!.address}:2379,10.0.0.200:2379`);
    expect(code).toBe(1);
    expect(out).toContain('10.0.0.11:2379 is healthy');
    expect(err).toContain('10.0.0.200:2379 is unhealthy: failed to commit proposal: context deadline exceeded\n');
    expect(err).toContain('Error: unhealthy cluster\n');
  });

  it('speaks TLS where the first endpoint or the flags want it, and plain text where it is http', () => {
    const [first, second] = cluster.nodes.map(({ address }) => address);
    const failed = { code: 1, out: '', err: 'Error: context deadline exceeded\n' };
    expect(run(`get none --endpoints=https://${first}:2379`)).toEqual(failed);
    expect(run(`get none --endpoints=${first}:2379 --insecure-transport=false`)).toEqual(failed);
    expect(run(`get none --endpoints=${first}:2379 --insecure-skip-tls-verify`)).toEqual(failed);
    // The scheme of the first goes for all that are dialled together, and each has its own where each is asked.
    expect(
      run(`get none --endpoints=http://${first}:2379,https://${second}:2379 --insecure-transport=false`).code,
    ).toBe(0);
    const { code, out, err } = run(`endpoint status --endpoints=https://${first}:2379,http://${second}:2379`);
    expect([code, out.split(',')[0], err]).toEqual([
      1,
      `http://${second}:2379`,
      `Failed to get the status of endpoint https://${first}:2379 (context deadline exceeded)\n`,
    ]);
  });

  it('grants, shows, keeps alive once and revokes a lease', () => {
    const [line] = run('lease grant 30').out.split('\n');
    expect(line).toMatch(/^lease [0-9a-f]{16} granted with TTL\(30s\)$/);
    const id = line!.split(' ')[1]!;
    run(`put leased x --lease=${id}`);
    expect(run(`lease timetolive ${id} --keys`).out).toMatch(
      new RegExp(`^lease ${id} granted with TTL\\(30s\\), remaining\\(2\\ds\\), attached keys\\(\\[leased\\]\\)\\n$`),
    );
    expect(run(`lease keep-alive ${id} --once`).out).toBe(`lease ${id} keepalived with TTL(30)\n`);
    expect(run('lease list').out).toBe(`found 1 leases\n${id}\n`);
    expect(run(`lease revoke ${id}`).out).toBe(`lease ${id} revoked\n`);
    expect(run(`lease timetolive ${id}`).out).toBe(`lease ${id} already expired\n`);
    expect(run(`lease revoke ${id}`)).toMatchObject({
      code: 1,
      err: 'Error: failed to revoke lease (etcdserver: requested lease not found)\n',
    });
  });

  it('moves the leader, compacts, defragments and saves a snapshot', () => {
    const leader = leaderOf(cluster);
    const other = cluster.nodes.find((node) => node !== leader)!;
    const target = run(`endpoint status --endpoints=${other.address}:2379`).out.split(', ')[1]!;
    expect(run(`move-leader ${target}`).out).toMatch(
      new RegExp(`^Leadership transferred from [0-9a-f]+ to ${target}\n$`),
    );
    expect(run(`move-leader ${target} --endpoints=${leader.address}:2379`)).toMatchObject({
      code: 128,
      err: `Error: no leader endpoint given at [${leader.address}:2379]\n`,
    });
    expect(run('compaction 3').out).toBe('compacted revision 3\n');
    expect(run('compaction 3').err).toBe('Error: etcdserver: mvcc: required revision has been compacted\n');
    expect(run(`defrag --endpoints=${leader.address}:2379`).out).toMatch(/^Finished defragmenting etcd member\[/);
    expect(run('snapshot save s.db')).toMatchObject({ code: 128 });
    expect(run(`snapshot save s.db --endpoints=${leader.address}:2379`).out).toBe(
      'Snapshot saved at s.db\nServer version 3.6.0\n',
    );
    expect(files.get('s.db')!.length % 512).toBe(32);
    expect(run('alarm list').out).toBe('');
  });

  it('prints changes of a watch', () => {
    const output = { out: '', err: '' };
    cluster.spawn('watch', function* (): Task<void> {
      yield* start('watch w --prefix --prev-kv', '', output);
    });
    cluster.sim.runFor(SECOND);
    run('put w1 a');
    run('put w1 b');
    run('del w1');
    cluster.sim.runFor(SECOND);
    expect(output.out).toBe('PUT\nw1\na\nPUT\nw1\na\nw1\nb\nDELETE\nw1\nb\nw1\n\n');
  });

  it('gives locks and posts back when it is interrupted, waiting or not', () => {
    const follow = (line: string): { readonly output: Output; readonly stop: () => void } => {
      const output = { out: '', err: '', code: -1 };
      const task = cluster.ops.scope.spawn(line, function* (): Task<void> {
        output.code = yield* start(line, '', output);
      });
      cluster.sim.runFor(SECOND);
      return { output, stop: () => task.cancel() };
    };
    const keys = (prefix: string): string[] =>
      run(`get ${prefix} --prefix --keys-only`).out.split('\n').filter(Boolean);
    const [first, second, third] = [follow('lock m'), follow('lock m'), follow('lock m --ttl 60')] as const;
    const [held, next, last] = keys('m/');
    expect(first.output.out).toBe(`${run('get m/ --prefix --limit=1 --sort-by=CREATE --order=ASCEND').out}`);
    expect([second.output.out, third.output.out]).toEqual(['', '']);
    // The second gives up its place; then the first its lock, which comes to the third at once.
    second.stop();
    cluster.sim.runFor(SECOND);
    expect(keys('m/')).toHaveLength(2);
    first.stop();
    cluster.sim.runFor(SECOND);
    expect(keys('m/')).toHaveLength(1);
    expect(third.output.out).toBe(`${keys('m/')[0]}\n\n`);
    expect(new Set([held, next, last]).size).toBe(3);
    third.stop();
    const [leader, candidate] = [follow('elect post a'), follow('elect post b')] as const;
    expect(leader.output.out).toMatch(/^post\/[0-9a-f]+\na\n$/);
    leader.stop();
    cluster.sim.runFor(SECOND);
    expect(candidate.output.out).toMatch(/^post\/[0-9a-f]+\nb\n$/);
    candidate.stop();
    cluster.sim.runFor(SECOND);
    expect(keys('post/')).toEqual([]);
  });

  it('helps with every command, in the sections of the real tool', () => {
    const { code, out, err } = run('help lock');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^NAME:\n\tlock - Acquires a named lock\n\nUSAGE:\n\tetcdctl lock <lockname> \[exec-command arg1 arg2 \.\.\.\] \[flags\]\n\nOPTIONS:\n {2}-h, --help\[=false\]\thelp for lock\n {6}--ttl=10\t\ttimeout for session\n\nGLOBAL OPTIONS:\n/,
    );
    for (const line of ['lock --help', 'lock a b -h', '--endpoints=x lock --help']) expect(run(line).out).toBe(out);
    for (const flags of ['--endpoints=http:/x', '--cert=none', '--user=root']) {
      expect(run(`help lock ${flags}`).out).toBe(out);
      expect(run(`version ${flags}`).code).toBe(0);
      expect(run(`get k ${flags}`).code).not.toBe(0);
    }
    expect(run('put k v -- --help').out).toBe('OK\n');
    expect(run('get --help').out).toContain('\n      --count-only[=false]\t\tGet only the count\n');
    expect(run('endpoint').out).toMatch(/\nAPI VERSION:\n\t3\.6\n\n\nCOMMANDS:\n\thashkv\tPrints/);
    expect(run('endpoint frob')).toEqual(run('endpoint'));
    expect(run('help frob')).toMatchObject({ code: 0, out: run('help').out, err: 'Unknown help topic [`frob`]\n' });
    expect(run('help auth')).toMatchObject({ code: 1, err: 'Error: etcdctl auth: authentication is not simulated\n' });
  });

  it('refuses what it does not know, before it asks a server', () => {
    expect(run('frobnicate').err).toContain('Error: unknown command "frobnicate" for "etcdctl"');
    expect(run('get --nonsense k')).toEqual({
      code: 1,
      out: run('help get').out,
      err: 'Error: unknown flag: --nonsense\n',
    });
    expect(run('get k -w yaml')).toMatchObject({ code: 4, err: 'Error: unsupported output format\n' });
    for (const line of ['watch a --', 'watch --', 'watch a --rev=1 --'])
      expect(run(line), line).toMatchObject({
        code: 128,
        err: 'Error: bad number of arguments (found separator --, but no commands)\n',
      });
    expect(run('watch -- echo hi')).toMatchObject({ code: 128, err: 'Error: bad number of arguments\n' });
    expect(run('watch a --rev=1 -- echo hi')).toMatchObject({
      code: 128,
      err: 'Error: a command to run at each change is not simulated; leave it out\n',
    });
    expect(etcdctlProblem(['member', 'list', '-w', 'table'])).toBeUndefined();
    expect(etcdctlProblem(['member', 'frob'])).toContain('unknown command "frob" for "etcdctl member"');
    expect(run('version').out).toBe('etcdctl version: 3.6.5\nAPI version: 3.6\n');
  });
});
