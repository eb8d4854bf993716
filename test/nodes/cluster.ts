import { parse } from 'yaml';
import { State as CosiService } from '../../src/api/cosi/state.ts';
import { ApplyConfigurationRequest, ApplyMode, BootstrapRequest } from '../../src/api/machine/lifecycle.ts';
import { MachineService } from '../../src/api/machine/services.ts';
import { generateConfigText } from '../../src/config/generate/generate.ts';
import { generateSecrets, type SecretsBundle } from '../../src/config/generate/secrets.ts';
import type { ResourceKind } from '../../src/cosi/index.ts';
import { etcdPhase, machineStatus } from '../../src/nodes/events.ts';
import { Issuer } from '../../src/nodes/secrets/issue.ts';
import { utf8Encode } from '../../src/platform/bytes.ts';
import type { Process, Program } from '../../src/platform/containers.ts';
import type { EventFields, EventKind } from '../../src/platform/log.ts';
import type { Metadata, Method, RpcChannel, TlsClient } from '../../src/platform/rpc.ts';
import { RpcError } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import { serveHttp } from '../../src/rpc/http/server.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';
import type { TraceEvent } from '../../src/sim/trace.ts';
import { PROGRAMS } from '../../src/world/program-set.ts';
import type { ProgramSet } from '../../src/world/programs.ts';
import { World } from '../../src/world/world.ts';

const GIB = 1_073_741_824;
export const SECOND_US = 1_000_000;
export const MINUTE_US = 60_000_000;

/** A kubelet that is well and does nothing. */
const quietKubelet: Program = function* ({ platform, signals }: Process): Task<number> {
  yield* serveHttp(platform, {
    address: '127.0.0.1',
    port: 10_248,
    *handler() {
      return { status: 200 };
    },
  });
  yield* signals.receive();
  return 0;
};

export interface ClusterOptions {
  readonly seed?: number;
  readonly controlPlanes?: number;
  readonly workers?: number;
  /** Run kubelets and what they run. */
  readonly kubernetes?: boolean;
  readonly images?: ProgramSet['images'];
  /** Last edits to a machine's config text. */
  readonly editConfig?: (text: string, machine: ClusterMachine) => string;
}

export interface ClusterMachine {
  readonly name: string;
  readonly address: string;
  readonly role: 'controlplane' | 'worker';
}

interface CallSettings {
  /** Machines to ask, by way of the one that is called. */
  readonly nodes?: string;
  readonly node?: string;
  readonly tls?: TlsClient;
  readonly limitUs?: number;
}

/** Control planes and workers on one segment, with what an operator needs to drive them. */
export class TestCluster {
  readonly world: World;
  readonly machines: readonly ClusterMachine[];
  readonly secrets: SecretsBundle;
  readonly events: TraceEvent[] = [];
  readonly #options: ClusterOptions;
  readonly #byKind = new Map<string, TraceEvent[]>();
  readonly #admin: TlsClient;

  constructor(options: ClusterOptions = {}) {
    const { seed = 1, controlPlanes = 3, workers = 0 } = options;
    this.#options = options;
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
        digest: 'fast',
        strictWire: false,
      },
      programSet(options),
    );
    this.world.simulation.on(undefined, (event) => this.#note(event));
    const nowSec = Math.floor(this.#wallUs() / SECOND_US);
    this.secrets = generateSecrets({ crypto: createSimCrypto('secrets'), nowSec, contract: 11 });
    this.#admin = this.identity('os:admin');
  }

  #wallUs(): number {
    return this.world.operator.kernel!.clock.wallUs();
  }

  #note(event: TraceEvent): void {
    this.events.push(event);
    const same = this.#byKind.get(event.kind);
    if (same === undefined) this.#byKind.set(event.kind, [event]);
    else same.push(event);
  }

  /** Client credentials with roles. */
  identity(...roles: readonly string[]): TlsClient {
    const crypto = createSimCrypto(`client/${roles.join(',')}`);
    const issuer = new Issuer(crypto, { nowUs: () => this.#wallUs() } as never, this.secrets.certs.os);
    const client = issuer.issue({
      commonName: '',
      organizations: roles,
      hours: 8760,
      usages: ['client-auth'],
      keySpec: 'ed25519',
    });
    return { serverCaPem: this.secrets.certs.os.crt, certificatePem: client.crt, keyPem: client.key };
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
    const network = [
      'network:',
      `        hostname: ${machine.name}`,
      '        interfaces:',
      '            - interface: eth0',
      '              dhcp: true',
      ...(machine.role === 'controlplane' ? ['              vip:', '                  ip: 10.0.0.5'] : []),
    ];
    const named = text.replace(/network: \{\}.*/, network.join('\n'));
    return this.#options.editConfig?.(named, machine) ?? named;
  }

  /** Runs a call from the operator's workstation to its end. */
  call<T>(name: string, body: (process: Process) => Task<T>, limitUs = 2 * MINUTE_US): T {
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

  /** Lends a channel to the API of a machine. */
  withChannel<T>(
    address: string,
    tls: TlsClient | undefined,
    body: (channel: RpcChannel) => Task<T>,
    limitUs?: number,
  ): T {
    return this.call(
      'talosctl',
      function* ({ platform }) {
        const channel = platform.rpc.channel([{ address, port: 50_000 }], { ...(tls !== undefined && { tls }) });
        try {
          return yield* body(channel);
        } finally {
          channel.close();
        }
      },
      limitUs,
    );
  }

  /** A unary call of the machine API; by default as os:admin. */
  api<Req, Res>(address: string, method: Method<Req, Res>, request: Req, settings: CallSettings = {}): Res {
    const { nodes, node, tls = this.#admin, limitUs } = settings;
    const metadata: Metadata = { ...(nodes !== undefined && { nodes }), ...(node !== undefined && { node }) };
    return this.withChannel(
      address,
      tls,
      (channel) => channel.unary(method, request, { metadata, timeoutUs: MINUTE_US }),
      limitUs,
    );
  }

  /** Messages of a server stream until it ends, or until `enough` of them. */
  stream<Req, Res>(
    address: string,
    method: Method<Req, Res>,
    request: Req,
    enough = Number.MAX_SAFE_INTEGER,
    settings: CallSettings & { readonly onMessage?: (message: Res) => void } = {},
  ): readonly Res[] {
    const { nodes, tls = this.#admin, limitUs, onMessage } = settings;
    return this.withChannel(
      address,
      tls,
      function* (channel) {
        const stream = channel.stream(method, { ...(nodes !== undefined && { metadata: { nodes } }) });
        stream.send(request);
        stream.closeSend();
        const found: Res[] = [];
        while (found.length < enough) {
          const message = yield* stream.receive();
          if (message === undefined) break;
          found.push(message);
          onMessage?.(message);
        }
        stream.cancel();
        return found;
      },
      limitUs,
    );
  }

  /** Sends the messages of a client stream. */
  upload<Req, Res>(address: string, method: Method<Req, Res>, messages: readonly Req[]): Res {
    return this.withChannel(address, this.#admin, function* (channel) {
      const stream = channel.stream(method);
      for (const message of messages) {
        stream.send(message);
        yield* stream.drained();
      }
      stream.closeSend();
      return (yield* stream.receive())!;
    });
  }

  apply(machine: ClusterMachine): void {
    const request = ApplyConfigurationRequest.of({ data: utf8Encode(this.configOf(machine)), mode: ApplyMode.Auto });
    this.api(machine.address, MachineService.ApplyConfiguration, request, { tls: { insecureSkipVerify: true } });
  }

  /** From blank disks to machines that wait for their config. */
  powerOn(): void {
    this.world.powerOn();
    for (const { name } of this.machines) this.awaitEvent(machineStatus, { stage: 'maintenance' }, name, MINUTE_US);
    this.advance(SECOND_US);
  }

  /** All machines get their config, install, reboot; control planes end up waiting for a cluster. */
  install(): void {
    for (const machine of this.machines) this.apply(machine);
    for (const { name, role } of this.machines) {
      if (role === 'controlplane') this.awaitEvent(etcdPhase, { phase: 'waiting-to-join' }, name, 5 * MINUTE_US);
      else this.awaitEvent(machineStatus, { stage: 'running' }, name, 5 * MINUTE_US);
    }
  }

  /** Returns the time of the answer. */
  bootstrap(name = 'cp-1'): number {
    this.api(this.machine(name).address, MachineService.Bootstrap, BootstrapRequest.empty);
    return this.nowUs;
  }

  /** Up to an etcd of all control planes. */
  bringUp(): void {
    this.powerOn();
    this.install();
    this.bootstrap();
    for (const { name, role } of this.machines) {
      if (role === 'controlplane') this.awaitService('etcd', name, 5 * MINUTE_US);
    }
  }

  awaitService(service: string, machine: string, limitUs: number): void {
    const healthy = (): boolean => {
      const last = this.seen('node.service', machine).findLast(({ fields }) => fields.service === service);
      return last?.fields.state === 'Running' && last.fields.health === 'healthy';
    };
    this.until(healthy, limitUs, `${machine}: ${service} healthy`);
  }

  /** Resources of a type on a machine, as its API shows them. */
  resources<S>(machine: string, kind: ResourceKind<S>): readonly { readonly id: string; readonly spec: S }[] {
    const request = { namespace: kind.namespace, type: kind.type, options: null };
    return this.stream(this.machine(machine).address, CosiService.List, request).map(({ resource }) => ({
      id: resource!.metadata!.id,
      spec: parse(resource!.spec!.yamlSpec) as S,
    }));
  }

  resource<S>(machine: string, kind: ResourceKind<S>, id: string): S | undefined {
    return this.resources(machine, kind).find((found) => found.id === id)?.spec;
  }

  machine(name: string): ClusterMachine {
    return this.machines.find((machine) => machine.name === name)!;
  }

  /** Events of a kind, of one machine or all. */
  seen(kind: string, machine?: string): readonly TraceEvent[] {
    const events = this.#byKind.get(kind) ?? [];
    if (machine === undefined) return events;
    return events.filter(({ source }) => source === machine || source.startsWith(`${machine}/`));
  }

  /** Events of a kind whose fields have these values. */
  matching<F extends EventFields>(kind: EventKind<F>, wanted: Partial<F>, machine?: string): readonly TraceEvent[] {
    return this.seen(kind.name, machine).filter(({ fields }) =>
      Object.entries(wanted).every(([name, value]) => fields[name] === value),
    );
  }

  /** Time of the first such event from `fromUs` on; lets time pass until there is one. */
  awaitEvent<F extends EventFields>(
    kind: EventKind<F>,
    wanted: Partial<F>,
    machine: string | undefined,
    limitUs: number,
    fromUs = 0,
  ): number {
    const found = (): TraceEvent | undefined =>
      this.matching(kind, wanted, machine).find((event) => event.timeUs >= fromUs);
    this.until(() => found() !== undefined, limitUs, `${machine ?? 'one'}: ${kind.name} ${JSON.stringify(wanted)}`);
    return found()!.timeUs;
  }

  close(): void {
    this.world.close();
  }
}

function machineOf(role: ClusterMachine['role'], name: string, last: number): ClusterMachine {
  return { name, role, address: `10.0.0.${last}` };
}

/** As a real cluster, but without Kubernetes unless a test asks for it. */
function programSet(options: ClusterOptions): ProgramSet {
  const kubelet = options.kubernetes === true ? {} : { 'ghcr.io/siderolabs/kubelet': (): Program => quietKubelet };
  return { ...PROGRAMS, images: { ...PROGRAMS.images, ...kubelet, ...options.images } };
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
