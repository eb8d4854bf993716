import { mkdirSync } from 'node:fs';
import type { Containers } from '../platform/containers.ts';
import type { Platform } from '../platform/platform.ts';
import { Scope } from '../platform/scope.ts';
import { HostClock } from './clock.ts';
import { HostContainers } from './containers/containers.ts';
import type { ImageMap } from './containers/images.ts';
import { createHostCrypto } from './crypto/crypto.ts';
import { HostDisk } from './disk/disk.ts';
import { type HostMount, HostMounts } from './disk/mounts.ts';
import { type EscapeHandler, HostExecutor } from './executor.ts';
import { HostLog, type LineSink } from './log.ts';
import { HostNet } from './net/net.ts';
import { createHostRandom } from './random.ts';
import { createHostRpc } from './rpc/rpc.ts';

export interface HostPlatformOptions {
  /** Stable name of the machine or process: source of its events. */
  readonly name: string;
  /** The machine's address, one of the host's own: `127.0.0.11`. */
  readonly self: string;
  /** Directory that is the root of its file system; made when missing. */
  readonly root: string;
  /** Directories shown at other paths of that file system. */
  readonly mounts?: readonly HostMount[];
  /** What runs for which image. */
  readonly images?: ImageMap;
  /** Takes events as lines of JSON (default: nobody does). */
  readonly log?: LineSink;
  /** Receives what escapes every task (default: printed, and the process ends with 70). */
  readonly onEscape?: EscapeHandler;
}

/** A Platform of this Node.js process, and what its owner holds besides. */
export interface HostPlatform {
  readonly platform: Platform;
  readonly containers: Containers;
  readonly executor: HostExecutor;
  readonly scope: Scope;
  /** Ends everything at once: tasks, timers, sockets, containers. */
  stop(): void;
}

/** The ports of a real machine. Several may live in one process, each with an address and a root of its own. */
export function hostPlatform(options: HostPlatformOptions): HostPlatform {
  mkdirSync(options.root, { recursive: true });
  const executor = new HostExecutor(options.onEscape ?? endOnEscape);
  const scope = new Scope(executor, options.name);
  const clock = new HostClock(executor);
  const random = createHostRandom();
  const net = new HostNet(options.self, executor);
  const log = new HostLog(options.name, () => clock.nowUs(), options.log ?? (() => {}));
  const root: HostMount = { destination: '/', directory: options.root, readOnly: false };
  const mounts = new HostMounts([root, ...(options.mounts ?? [])]);
  const rpcScope = scope.child('rpc');
  const rpc = createHostRpc({
    net,
    clock,
    executor,
    log,
    random: random.stream('rpc'),
    scope: rpcScope,
    strictWire: false,
  });
  const disk = new HostDisk(mounts, executor);
  const platform: Platform = { clock, random, net, rpc, disk, crypto: createHostCrypto(), log, scope };
  const containers = new HostContainers({
    executor,
    clock,
    mounts,
    self: options.self,
    images: options.images ?? {},
    log: options.log ?? (() => {}),
  });
  const stop = (): void => {
    containers.killAll();
    rpcScope.cancel();
    scope.kill();
    executor.stop();
    clock.stop();
    net.stop();
  };
  return { platform, containers, executor, scope, stop };
}

function endOnEscape(error: unknown, path: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`talosim: an error escaped ${path}\n${text}\n`);
  process.exit(70);
}
