import type { ServerObserver } from '../../etcd/server/observer.ts';
import { etcdProgram } from '../../etcd/server/program.ts';
import type { Channel } from '../../platform/channel.ts';
import type { Process, Signal } from '../../platform/containers.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import type { SimProcess } from '../../sim/kernel/process.ts';
import type { TraceEvent } from '../../sim/trace.ts';
import { ETCD, type ProgramSet } from '../../world/programs.ts';
import { World } from '../../world/world.ts';
import { CheckerSet } from '../checkers/all.ts';
import type { Scenario } from '../scenario/model.ts';
import { OperatorShell } from '../tools/shell.ts';
import type { Tool } from '../tools/tool.ts';
import { Workspace } from '../tools/workspace.ts';
import { ClusterObserver } from '../view/observer.ts';

/** What a session is made with, beside the scenario. */
export interface SessionDeps {
  readonly programs: ProgramSet;
  readonly tools: readonly Tool[];
  /** Reads a file relative to the scenario; undefined when there is none. */
  readonly readFile: (path: string) => string | undefined;
}

export interface SessionOptions {
  readonly seed: number;
  readonly digest: 'fast' | 'full';
  readonly strictWire: boolean;
}

/**
 * One world being driven: events go to the observer and the checkers, and the operator's shell is a process on the
 * workstation. Scenario runs, the interactive shell and the screen are all sessions.
 */
export class Session {
  readonly scenario: Scenario;
  readonly world: World;
  readonly observer: ClusterObserver;
  readonly checkers = new CheckerSet();
  readonly files: Workspace;
  readonly #tools: readonly Tool[];
  #shell: OperatorShell | undefined;

  constructor(scenario: Scenario, options: SessionOptions, deps: SessionDeps) {
    const { loadBalancer, dns, publicNames, epochUs, reserved, schematics } = scenario;
    this.scenario = scenario;
    this.#tools = deps.tools;
    this.files = new Workspace(deps.readFile);
    this.world = new World(
      {
        seed: String(options.seed),
        talosVersion: scenario.talosVersion,
        networks: scenario.networks,
        machines: scenario.machines.map((machine) => ({
          ...machine,
          disks: machine.disks.map(({ sizeGiB, ...disk }) =>
            withoutUndefined({ ...disk, sizeBytes: Math.round(sizeGiB * 1_073_741_824) }),
          ),
        })),
        ...withoutUndefined({ loadBalancer, dns, publicNames, epochUs, reserved, schematics }),
        digest: options.digest,
        strictWire: options.strictWire,
      },
      observed(deps.programs, this.checkers.etcd),
    );
    this.observer = new ClusterObserver(scenario.machines.map((machine) => machine.name));
    this.world.simulation.on(undefined, (event) => {
      this.observer.take(event);
      this.checkers.take(event);
    });
  }

  /** Names of the programs that the operator can type. */
  get toolNames(): readonly string[] {
    return this.#tools.map(({ name }) => name);
  }

  get nowUs(): number {
    return this.world.simulation.nowUs;
  }

  /** Switches the machines on and starts `body` as the operator's shell process. */
  start(body: (shell: OperatorShell, platform: Platform) => Task<void>): SimProcess {
    this.world.powerOn();
    return this.asOperator('shell', body);
  }

  /** Starts a process on the workstation that can run commands; `signals` are those that it is sent. */
  asOperator(
    name: string,
    body: (shell: OperatorShell, platform: Platform, signals: Channel<Signal>) => Task<void>,
  ): SimProcess {
    const tools = this.#tools;
    const { files, scenario } = this;
    const session = this;
    const process = this.world.operator.run({
      name,
      program: function* (process: Process): Task<number> {
        session.#shell ??= new OperatorShell(tools, files, scenario.talosVersion);
        yield* body(session.#shell, process.platform, process.signals);
        return 0;
      },
    });
    if (process === undefined) throw new Error('the workstation is off');
    return process;
  }

  onEvent(listener: (event: TraceEvent) => void): () => void {
    return this.world.simulation.on(undefined, listener);
  }

  close(): void {
    this.world.close();
  }
}

/** The same programs, with an etcd whose requests are seen. */
function observed(programs: ProgramSet, observer: ServerObserver): ProgramSet {
  return { ...programs, images: { ...programs.images, [ETCD]: () => etcdProgram({ observer }) } };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) result[key] = item;
  }
  return result as { [K in keyof T]: Exclude<T[K], undefined> };
}
