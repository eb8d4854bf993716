import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type HostPlatform, hostPlatform } from '../../src/host/platform.ts';
import { utf8Encode } from '../../src/platform/bytes.ts';
import type { Container } from '../../src/platform/containers.ts';
import type { RpcChannel } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import { get, put, range, status, untilOk } from '../etcd/helpers.ts';
import { onHost } from '../support/on-host.ts';

const IMAGE = 'gcr.io/etcd-development/etcd:v3.6.5';
const SECOND = 1_000_000;

interface HostMember {
  readonly name: string;
  readonly address: string;
  readonly host: HostPlatform;
  container: Container | undefined;
}

/** Three members as processes of their own on loopback addresses. */
class HostCluster {
  readonly members: HostMember[];
  readonly #directory = mkdtempSync(join(tmpdir(), 'talosim-etcd-'));
  readonly #initial: string;

  constructor(firstOctet: number) {
    const module = new URL('../../src/etcd/server/images.ts', import.meta.url).href;
    this.members = [1, 2, 3].map((i) => {
      const name = `m${i}`;
      const address = `127.0.${firstOctet}.${i}`;
      const images = { [IMAGE]: { kind: 'program', module, export: 'etcd' } as const };
      const host = hostPlatform({ name, self: address, root: join(this.#directory, name), images });
      return { name, address, host, container: undefined };
    });
    this.#initial = this.members.map((member) => `${member.name}=http://${member.address}:2380`).join(',');
  }

  run<T>(member: HostMember, body: () => Task<T>): Promise<T> {
    return onHost(member.host, body);
  }

  async start(member: HostMember): Promise<void> {
    const { containers, platform } = member.host;
    const url = `http://${member.address}`;
    const args = [
      '/usr/local/bin/etcd',
      `--name=${member.name}`,
      '--data-dir=/var/lib/etcd',
      `--listen-peer-urls=${url}:2380`,
      `--listen-client-urls=${url}:2379`,
      `--advertise-client-urls=${url}:2379`,
      `--initial-advertise-peer-urls=${url}:2380`,
      `--initial-cluster=${this.#initial}`,
      '--initial-cluster-state=new',
    ];
    member.container = await this.run(member, function* () {
      yield* platform.disk.makeDirectory('/var/lib/etcd');
      yield* containers.pull(IMAGE);
      const mounts = [{ source: '/var/lib/etcd', destination: '/var/lib/etcd' }];
      return yield* containers.run({ id: 'etcd', namespace: 'system', image: IMAGE, args, mounts, network: 'host' });
    });
  }

  channel(from: HostMember, ...to: readonly HostMember[]): RpcChannel {
    return from.host.platform.rpc.channel(to.map(({ address }) => ({ address, port: 2379 })));
  }

  stop(): void {
    for (const { host } of this.members) host.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

describe('three etcd processes on this host', () => {
  let cluster: HostCluster | undefined;
  afterEach(() => cluster?.stop());

  it('write on within 5 s after kill -9 of the leader, lose nothing, and take it back', async () => {
    const running = new HostCluster(77);
    cluster = running;
    for (const member of running.members) await running.start(member);
    const operator = running.members[0]!;
    const everybody = running.channel(operator, ...running.members);
    await running.run(operator, () => untilOk(() => put(everybody, 'first', '0', {}, 20 * SECOND)));
    const leader = await findLeader(running, operator);
    const rest = running.members.filter((member) => member !== leader);
    const acknowledged: string[] = [];
    const survivors = running.channel(operator, ...rest);
    for (let i = 0; i < 100; i++) {
      await running.run(operator, () => put(survivors, `k${i}`, `v${i}`));
      acknowledged.push(`k${i}`);
    }
    leader.container!.signal('SIGKILL');
    const killedAt = performance.now();
    await running.run(operator, () => untilOk(() => put(survivors, 'resumed', '1', {}, SECOND)));
    expect(performance.now() - killedAt).toBeLessThan(5000);
    const { kvs } = await running.run(operator, () => range(survivors, 'k', { rangeEnd: utf8Encode('l') }));
    expect(kvs).toHaveLength(acknowledged.length);

    await running.run(leader, () => leader.container!.wait());
    await running.start(leader);
    const back = running.channel(operator, leader);
    const value = await running.run(operator, () => get(back, 'resumed', { serializable: true }));
    expect(value).toBe('1');
    const all = await running.run(operator, () => range(back, 'k', { rangeEnd: utf8Encode('l') }));
    expect(all.kvs).toHaveLength(acknowledged.length);
  }, 60_000);
});

async function findLeader(cluster: HostCluster, operator: HostMember): Promise<HostMember> {
  for (const member of cluster.members) {
    const channel = cluster.channel(operator, member);
    const answer = await cluster.run(operator, () => status(channel));
    channel.close();
    if (answer.leader === answer.header!.memberId) return member;
  }
  throw new Error('nobody leads');
}
