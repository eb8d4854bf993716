import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EtcdClient } from '../../../src/etcd/client/client.ts';
import type { CtlContext } from '../../../src/etcd/ctl/context.ts';
import { etcdctl } from '../../../src/etcd/ctl/etcdctl.ts';
import { type HostPlatform, hostPlatform } from '../../../src/host/platform.ts';
import { race } from '../../../src/platform/combinators.ts';
import type { Container } from '../../../src/platform/containers.ts';
import type { Task } from '../../../src/platform/task.ts';
import { onHost } from '../../support/on-host.ts';

const IMAGE = 'debian/etcd:3.4';

/** Where the real programs are; undefined when they are not installed. */
export function realEtcd(): string | undefined {
  return firstThere(process.env.ETCD_BIN, '/usr/bin/etcd');
}

export function realEtcdctl(): string | undefined {
  return firstThere(process.env.ETCDCTL_BIN, '/usr/bin/etcdctl');
}

function firstThere(...paths: readonly (string | undefined)[]): string | undefined {
  return paths.find((path) => path !== undefined && path !== '' && existsSync(path));
}

/** Flags of one member that is alone at first. The same for both servers, so that ids agree too. */
function flags(address: string, dataDir: string): string[] {
  return [
    '--name=m1',
    `--data-dir=${dataDir}`,
    `--listen-peer-urls=http://${address}:2380`,
    `--listen-client-urls=http://${address}:2379`,
    // Nobody comes by it here, so it may be the same for all.
    '--advertise-client-urls=http://127.0.66.1:2379',
    `--initial-advertise-peer-urls=http://${address}:2380`,
    `--initial-cluster=m1=http://${address}:2380`,
    '--initial-cluster-state=new',
    '--initial-cluster-token=compare',
  ];
}

/** Our server, or the real one, listening on a loopback address. */
export interface RunningServer {
  readonly name: 'ours' | 'real';
  readonly address: string;
  /** The client of now; {@link reconnect} makes a new one. */
  client: EtcdClient;
  readonly dataDir: string;
  reconnect(): void;
  run<T>(body: () => Task<T>): Promise<T>;
  stop(): void;
}

/** Something to call servers with, and to start ours from. */
export class Workbench {
  readonly host: HostPlatform;
  readonly directory = mkdtempSync(join(tmpdir(), 'talosim-debian-'));
  readonly #children: ChildProcess[] = [];

  constructor(self: string) {
    const module = new URL('../../../src/etcd/server/images.ts', import.meta.url).href;
    this.host = hostPlatform({
      name: 'bench',
      self,
      root: join(this.directory, 'ours'),
      images: { [IMAGE]: { kind: 'program', module, export: 'etcd34' } },
    });
  }

  run<T>(body: () => Task<T>): Promise<T> {
    return onHost(this.host, body);
  }

  client(address: string): EtcdClient {
    return new EtcdClient(this.host.platform, { endpoints: [`http://${address}:2379`] });
  }

  /** Ours listens on the workbench's own address: a process sees no other. */
  async startOurs(address: string): Promise<RunningServer> {
    const { containers, platform } = this.host;
    const container: Container = await this.run(function* () {
      yield* platform.disk.makeDirectory('/var/lib/etcd');
      yield* containers.pull(IMAGE);
      return yield* containers.run({
        id: 'etcd',
        namespace: 'system',
        image: IMAGE,
        args: ['/usr/bin/etcd', ...flags(address, '/var/lib/etcd')],
        mounts: [{ source: '/var/lib/etcd', destination: '/var/lib/etcd' }],
        network: 'host',
      });
    });
    const dataDir = join(this.directory, 'ours', 'var/lib/etcd');
    return this.#running('ours', address, dataDir, () => container.signal('SIGKILL'));
  }

  startReal(binary: string, address: string, more: readonly string[] = []): RunningServer {
    const dataDir = join(this.directory, `real-${this.#children.length}`);
    const child = spawn(binary, [...flags(address, dataDir), ...more], { stdio: 'ignore', env: {} });
    this.#children.push(child);
    return this.#running('real', address, dataDir, () => child.kill('SIGKILL'));
  }

  #running(name: 'ours' | 'real', address: string, dataDir: string, stop: () => void): RunningServer {
    const server: RunningServer = {
      name,
      address,
      dataDir,
      client: this.client(address),
      run: (body) => this.run(body),
      reconnect: () => {
        server.client.close();
        server.client = this.client(address);
      },
      stop,
    };
    return server;
  }

  stop(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    this.host.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Runs the real etcdctl. */
export function runEtcdctl(binary: string, address: string, args: readonly string[], input = ''): string {
  const { stdout, stderr, status } = spawnSync(binary, [`--endpoints=http://${address}:2379`, ...args], {
    encoding: 'utf8',
    input,
    env: { ETCDCTL_API: '3' },
    timeout: 20_000,
  });
  return `${stdout}${stderr.replace(/^\{"level".*\n/gm, '')}[${status}]`;
}

/** The first lines that our etcdctl prints of a command which would run on; it is ended after a second. */
export async function followOurEtcdctl(
  bench: Workbench,
  address: string,
  args: readonly string[],
  lines: number,
): Promise<string> {
  const text = await runOurEtcdctl(bench, address, args, '', 1_000_000);
  return text.split('\n').slice(0, lines).join('\n').concat('\n');
}

/** Runs our etcdctl on the host, with the same result. */
export async function runOurEtcdctl(
  bench: Workbench,
  address: string,
  args: readonly string[],
  input = '',
  limitUs = 20_000_000,
): Promise<string> {
  let out = '';
  let err = '';
  const context: CtlContext = {
    linger: () => {},
    ports: bench.host.platform,
    env: {},
    readFile: () => undefined,
    writeFile: () => {},
    stdin: input,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    version: '3.6.5',
  };
  const { clock } = bench.host.platform;
  const code = await bench.run(function* () {
    const command = etcdctl([`--endpoints=http://${address}:2379`, ...args], context);
    return yield* race<number | undefined>({ command, limit: clock.sleep(limitUs) as Task<undefined> });
  });
  return `${out}${err}[${code}]`;
}

/** The first lines that a command prints which would run on; it is then interrupted, and waited for. */
export function followEtcdctl(
  binary: string,
  address: string,
  args: readonly string[],
  lines: number,
): Promise<string> {
  const child = spawn(binary, [`--endpoints=http://${address}:2379`, ...args], { env: { ETCDCTL_API: '3' } });
  let text = '';
  const limit = setTimeout(() => child.kill('SIGKILL'), 20_000);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.split('\n').length > lines) child.kill('SIGINT');
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      clearTimeout(limit);
      resolve(text.split('\n').slice(0, lines).join('\n').concat('\n'));
    });
  });
}
