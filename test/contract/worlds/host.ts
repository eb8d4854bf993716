import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostPlatform, hostPlatform } from '../../../src/host/platform.ts';
import type { Task } from '../../../src/platform/task.ts';
import { onHost } from '../../support/on-host.ts';
import type { Peer, RunningWorld, StartOptions, World } from '../world.ts';
import { loopbackNetwork } from './loopback.ts';

/** Machines on loopback addresses of this host, in this process; their containers are processes of their own. */
export const hostWorld: World = {
  name: 'host',
  isSimulation: false,
  start: async (options = {}) => new HostRunningWorld(options),
};

interface HostPeer extends Peer {
  readonly host: HostPlatform;
}

class HostRunningWorld implements RunningWorld {
  readonly peers: readonly HostPeer[];
  readonly #directory = mkdtempSync(join(tmpdir(), 'talosim-contract-'));
  /** What escaped a task: fails the run that is under way. */
  readonly #escaped: unknown[] = [];

  constructor(options: StartOptions) {
    const images = Object.fromEntries(
      (options.programs ?? []).map(({ image, module, export: name }) => [
        image,
        { kind: 'program', module, export: name } as const,
      ]),
    );
    const addressOf = loopbackNetwork();
    this.peers = Array.from({ length: options.peers ?? 2 }, (_, index) => {
      const name = `peer-${index + 1}`;
      const address = addressOf(index + 11);
      const host = hostPlatform({
        name,
        self: address,
        root: join(this.#directory, name),
        images,
        onEscape: (error) => this.#escaped.push(error),
      });
      return { name, address, host, platform: host.platform, containers: host.containers };
    });
  }

  async run<T>(peer: Peer, body: () => Task<T>): Promise<T> {
    const { host } = peer as HostPeer;
    const value = await onHost(host, body);
    if (this.#escaped.length > 0) throw this.#escaped[0];
    return value;
  }

  async stop(): Promise<void> {
    for (const peer of this.peers) peer.host.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
