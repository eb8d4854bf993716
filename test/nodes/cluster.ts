import { ApplyConfigurationRequest, ApplyMode } from '../../src/api/machine/lifecycle.ts';
import { MachineService } from '../../src/api/machine/services.ts';
import { generateConfigText } from '../../src/config/generate/generate.ts';
import { generateSecrets, type SecretsBundle } from '../../src/config/generate/secrets.ts';
import { machined } from '../../src/nodes/machined.ts';
import { TALOS_V1_11_3 } from '../../src/nodes/profile/v1_11_3.ts';
import { Issuer } from '../../src/nodes/secrets/issue.ts';
import { forever } from '../../src/nodes/services/builtin/plain.ts';
import { utf8Encode } from '../../src/platform/bytes.ts';
import type { Process, Program } from '../../src/platform/containers.ts';
import type { Method, TlsClient } from '../../src/platform/rpc.ts';
import { RpcError } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import { timeServer } from '../../src/services/time/server.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';
import type { TraceEvent } from '../../src/sim/trace.ts';
import type { ProgramSet } from '../../src/world/programs.ts';
import { World } from '../../src/world/world.ts';

const GIB = 1_073_741_824;

/** Runs until it is told to stop: stands for programs that a test does not need. */
export const idleProgram: Program = function* ({ signals }: Process): Task<number> {
  yield* signals.receive();
  return 0;
};

export interface ClusterOptions {
  readonly seed?: number;
  readonly controlPlanes?: number;
  readonly workers?: number;
  readonly programs?: Partial<ProgramSet>;
  readonly images?: ProgramSet['images'];
}

export interface ClusterMachine {
  readonly name: string;
  readonly address: string;
  readonly role: 'controlplane' | 'worker';
}

/** Control planes and workers on one segment, with what an operator needs to drive them. */
export class TestCluster {
  readonly world: World;
  readonly machines: readonly ClusterMachine[];
  readonly secrets: SecretsBundle;
  readonly events: TraceEvent[] = [];
  readonly #admin: TlsClient;

  constructor(options: ClusterOptions = {}) {
    const { seed = 1, controlPlanes = 3, workers = 2 } = options;
    this.machines = [
      ...Array.from({ length: controlPlanes }, (_, i) => machineOf('controlplane', `cp-${i + 1}`, 10 + i)),
      ...Array.from({ length: workers }, (_, i) => machineOf('worker', `worker-${i + 1}`, 21 + i)),
    ];
    this.world = new World(
      {
        seed: String(seed),
        talosVersion: 'v1.11.3',
        networks: [{ name: 'lan', cidr: '10.0.0.0/24', gateway: '10.0.0.1', latencyUs: 100, jitterUs: 100 }],
        machines: this.machines.map(({ name, address }) => ({
          name,
          address,
          network: 'lan',
          disks: [{ name: '/dev/sda', sizeBytes: 50 * GIB }],
          cpuCount: 2,
          memoryBytes: 4 * GIB,
          powered: true,
        })),
        digest: 'full',
        strictWire: false,
      },
      programSet(options),
    );
    this.world.simulation.on(undefined, (event) => this.events.push(event));
    const crypto = createSimCrypto('secrets');
    this.secrets = generateSecrets({ crypto, nowSec: 1_759_276_800, contract: 11 });
    const clock = this.world.operator.kernel!.clock;
    const admin = new Issuer(crypto, { nowUs: () => clock.wallUs() } as never, this.secrets.certs.os).issue({
      commonName: '',
      organizations: ['os:admin'],
      hours: 8760,
      usages: ['client-auth'],
      keySpec: 'ed25519',
    });
    this.#admin = { serverCaPem: this.secrets.certs.os.crt, certificatePem: admin.crt, keyPem: admin.key };
  }

  get nowUs(): number {
    return this.world.simulation.nowUs;
  }

  advance(durationUs: number): void {
    this.world.simulation.runFor(durationUs);
    if (this.world.simulation.failure !== undefined) throw this.world.simulation.failure;
  }

  /** Lets time pass until `condition` holds; throws after `limitUs`. */
  until(condition: () => boolean, limitUs: number, what = 'condition'): void {
    const { simulation } = this.world;
    const end = simulation.runUntil(condition, { untilUs: simulation.nowUs + limitUs });
    if (simulation.failure !== undefined) throw simulation.failure;
    if (end !== 'reached') throw new Error(`${what}: ${end} at ${simulation.nowUs} us`);
  }

  /** Machine config of a machine. */
  configOf(machine: ClusterMachine): string {
    const text = generateConfigText(
      {
        clusterName: 'demo',
        endpoint: 'https://10.0.0.5:6443',
        kubernetesVersion: '1.34.1',
        contract: 11,
        secrets: this.secrets,
        options: { installDisk: '/dev/sda', installImage: 'ghcr.io/siderolabs/installer:v1.11.3' },
      },
      machine.role,
    );
    const vip = machine.role === 'controlplane' ? '\n                vip:\n                    ip: 10.0.0.5' : '';
    const network = `network:\n        hostname: ${machine.name}\n        interfaces:\n            - interface: eth0\n                  dhcp: true${vip}`;
    return text.replace(
      /network: \{\}.*/,
      network
        .replace('                  dhcp', '              dhcp')
        .replaceAll('                vip', '              vip')
        .replaceAll('                    ip', '                  ip'),
    );
  }

  /** Runs a call from the operator's workstation to its end. */
  call<T>(name: string, body: (process: Process) => Task<T>, limitUs = 120_000_000): T {
    let result: { value: T } | { error: unknown } | undefined;
    this.world.operator.run({
      name,
      program: function* (process) {
        try {
          result = { value: yield* body(process) };
        } catch (error) {
          result = { error };
        }
        return 0;
      },
    });
    this.until(() => result !== undefined, limitUs, name);
    const done = result!;
    if ('error' in done) throw done.error;
    return done.value;
  }

  /** A unary call of the machine API. */
  api<Req, Res>(
    address: string,
    method: Method<Req, Res>,
    request: Req,
    options: { nodes?: string; insecure?: boolean; limitUs?: number } = {},
  ): Res {
    const tls = options.insecure === true ? { insecureSkipVerify: true } : this.#admin;
    return this.call(
      `talosctl ${method.path}`,
      function* ({ platform }) {
        const channel = platform.rpc.channel([{ address, port: 50_000 }], { tls });
        try {
          const metadata = options.nodes === undefined ? {} : { nodes: options.nodes };
          return yield* channel.unary(method, request, { metadata, timeoutUs: 60_000_000 });
        } finally {
          channel.close();
        }
      },
      options.limitUs,
    );
  }

  apply(machine: ClusterMachine): void {
    const request = ApplyConfigurationRequest.of({ data: utf8Encode(this.configOf(machine)), mode: ApplyMode.Auto });
    this.api(machine.address, MachineService.ApplyConfiguration, request, { insecure: true });
  }

  machine(name: string): ClusterMachine {
    return this.machines.find((machine) => machine.name === name)!;
  }

  /** Events of a kind, of one machine or all. */
  seen(kind: string, machine?: string): readonly TraceEvent[] {
    return this.events.filter(
      (event) =>
        event.kind === kind &&
        (machine === undefined || event.source === machine || event.source.startsWith(`${machine}/`)),
    );
  }

  close(): void {
    this.world.close();
  }
}

function machineOf(role: ClusterMachine['role'], name: string, last: number): ClusterMachine {
  return { name, role, address: `10.0.0.${last}` };
}

function programSet(options: ClusterOptions): ProgramSet {
  const idle = (): Program => idleProgram;
  return {
    images: {
      'ghcr.io/siderolabs/installer': idle,
      'ghcr.io/siderolabs/kubelet': idle,
      'gcr.io/etcd-development/etcd': idle,
      ...options.images,
    },
    machined: () => (platform, surroundings) => machined(platform, TALOS_V1_11_3, surroundings),
    discovery: idleProgram,
    time: timeServer,
    loadBalancer: idleProgram,
    ...options.programs,
  };
}

/** The status of a refused call. */
export function refusal(action: () => unknown): RpcError {
  try {
    action();
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

export { forever };
