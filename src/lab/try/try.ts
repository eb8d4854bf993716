import { generateTalosconfig } from '../../config/generate/talosconfig.ts';
import { DEFAULT_VERSION } from '../../config/version.ts';
import { etcdPhase } from '../../nodes/events.ts';
import { SECOND_US } from '../../platform/clock.ts';
import { CryptoError } from '../../platform/crypto.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/task.ts';
import { createSimCrypto } from '../../sim/crypto/crypto.ts';
import type { ProgramSet } from '../../world/programs.ts';
import { machineOf } from '../checkers/checker.ts';
import { Session } from '../engine/session.ts';
import { runInSlices, type Slices } from '../engine/slices.ts';
import type { Scenario } from '../scenario/model.ts';
import type { DiskEntry } from '../scenario/schema.ts';
import type { OperatorShell } from '../tools/shell.ts';
import type { Tool } from '../tools/tool.ts';
import { ChangeNarrator, narrate } from '../view/narrate.ts';
import { checkAuthorities } from './authorities.ts';
import { type Circumstances, endpointReasons, nameNotes, reasonsOf } from './diagnose.ts';
import { diskFor } from './disk.ts';
import { Layout, type Placement } from './layout.ts';
import { endpointNames } from './names.ts';
import { Progress, type Stage } from './progress.ts';
import type { TriedConfig } from './tried-config.ts';

export interface TryOptions {
  readonly seed: number;
  /** The disks of every machine; default: one like the config asks for. */
  readonly disks?: readonly DiskEntry[];
  /** Told of what happens as it happens. */
  readonly onLine?: (timeUs: number, text: string) => void;
}

export interface TriedMachine {
  readonly name: string;
  readonly file: string;
  readonly type: string;
  readonly address: string;
  readonly stage: Stage;
  /** Why it got no further; empty when its Node is Ready. */
  readonly reasons: readonly string[];
  /** How its world was made, and what of the config has no model there. */
  readonly notes: readonly string[];
}

export interface TryResult {
  readonly machines: readonly TriedMachine[];
  /** Every Node is Ready. */
  readonly complete: boolean;
  readonly simulatedUs: number;
}

/** A machine that makes no step for so long makes none any more: longer than any pull, probe or retry takes. */
const PATIENCE_US = 12 * 60 * SECOND_US;
const LIMIT_US = 65 * 60 * SECOND_US;
const POLL_US = 5 * SECOND_US;
const BUDGET_EVENTS = 30_000_000;
const TALOSCONFIG = 'talosconfig';

/** Boots configs together in a world made for them, bootstraps the first control plane, and tells how far each gets. */
export function* tryConfigs(
  configs: readonly TriedConfig[],
  options: TryOptions,
  deps: { readonly programs: ProgramSet; readonly tools: readonly Tool[] },
): Slices<TryResult> {
  const layout = new Layout(configs);
  const places = configs.map((config) => layout.place(config));
  const crypto = createSimCrypto(`${options.seed}/try`);
  const authorities = checkAuthorities(configs, crypto);
  const publicNames = endpointNames(configs, places);
  const scenario = {
    ...scenarioOf(configs, places, layout, authorities.epochUs, options.disks),
    publicNames,
  };
  const session = new Session(
    scenario,
    { seed: options.seed, digest: 'fast', strictWire: false },
    { ...deps, readFile: () => undefined },
  );
  const attempts = configs.map((config, index) => new Attempt(config, places[index]!));
  const byName = new Map(attempts.map((attempt) => [attempt.config.name, attempt]));
  const changes = new ChangeNarrator();
  session.onEvent((event) => {
    byName.get(machineOf(event.source))?.take(event);
    for (const attempt of attempts) attempt.progress.takeNode(event);
    const line = narrate(event) ?? changes.tell(event);
    if (line !== undefined) options.onLine?.(event.timeUs, line);
  });
  const leader = attempts.find(({ config }) => config.settings.machineType !== 'worker');
  let isDone = false;
  session.start(function* (shell, platform): Task<void> {
    for (const attempt of attempts) yield* attempt.apply(session, shell, platform);
    if (leader !== undefined) yield* leader.bootstrap(session, shell, platform);
    while (!attempts.every((attempt) => attempt.isSettled(session.nowUs))) yield* platform.clock.sleep(POLL_US);
    isDone = true;
  });
  yield* runInSlices(session.world.simulation, () => isDone, { untilUs: LIMIT_US, maxEvents: BUDGET_EVENTS });
  const addresses = new Set(places.map(({ address }) => address));
  const machines = attempts.map((attempt) =>
    attempt.verdict({
      configs,
      addresses,
      names: publicNames,
      authorityProblems: authorities.problems.get(attempt.config.name) ?? [],
      lastLine: (machine, service) =>
        session.world.machine(machine).containers?.processOf('system', service)?.process.lines.tail(1)[0],
    }),
  );
  const result = {
    machines,
    complete: machines.every(({ stage }) => stage === 'ready'),
    simulatedUs: session.nowUs,
  };
  session.close();
  return result;
}

/** One config on its machine. */
export class Attempt {
  readonly config: TriedConfig;
  readonly place: Placement;
  readonly progress: Progress;
  /** What the operator's last failing command said; empty when it worked. */
  refusal = '';
  #isWaiting = false;

  constructor(config: TriedConfig, place: Placement) {
    this.config = config;
    this.place = place;
    this.progress = new Progress(config.name);
  }

  take(event: Parameters<Progress['take']>[0]): void {
    this.progress.take(event);
    if (event.kind === etcdPhase.name && event.fields.phase === 'waiting-to-join') this.#isWaiting = true;
  }

  verdict(circumstances: Circumstances): TriedMachine {
    const { name, file, settings } = this.config;
    const { stage } = this.progress;
    // A node that is Ready does not need its endpoint; others would.
    const more = stage === 'ready' ? endpointReasons(this.config, circumstances) : [];
    return {
      name,
      file,
      type: settings.machineType,
      address: this.place.address,
      stage,
      reasons: reasonsOf(this, circumstances),
      notes: [...this.place.notes, ...nameNotes(this.config, circumstances), ...more],
    };
  }

  /** Nothing will change any more. */
  isSettled(nowUs: number): boolean {
    const { stage, failure, changedUs } = this.progress;
    return stage === 'ready' || failure !== '' || this.isRefused || nowUs - changedUs > PATIENCE_US;
  }

  get isRefused(): boolean {
    return this.progress.stage === 'maintenance' && this.refusal !== '';
  }

  *apply(session: Session, shell: OperatorShell, platform: Platform): Task<void> {
    const { address } = this.place;
    const file = `${this.config.name}.yaml`;
    session.files.write(file, this.config.text);
    const isUp = yield* retried(session, shell, platform, ['talosctl', 'get', 'disks', '--insecure', '-n', address]);
    if (isUp !== '') {
      this.refusal = isUp;
      return;
    }
    const words = ['talosctl', 'apply-config', '--insecure', '-n', address, '-f', file];
    const output = yield* shell.run(platform, words);
    this.refusal = output.exitCode === 0 ? '' : output.stderr.trim();
  }

  /** Bootstraps etcd as soon as it waits for that, as a client that the config's own authority vouches for. */
  *bootstrap(session: Session, shell: OperatorShell, platform: Platform): Task<void> {
    const { settings } = this.config;
    while (!this.#isWaiting) {
      if (this.isSettled(session.nowUs) || settings.machineType === 'init') return;
      yield* platform.clock.sleep(POLL_US);
    }
    try {
      const text = generateTalosconfig({
        crypto: platform.crypto,
        nowSec: Math.floor(platform.clock.nowUs() / SECOND_US),
        clusterName: settings.cluster.name || 'try',
        authority: settings.machine.ca,
      });
      session.files.write(TALOSCONFIG, text);
    } catch (error) {
      if (!(error instanceof CryptoError)) throw error;
      this.refusal = `no client certificate can be made with machine.ca: ${error.message}`;
      return;
    }
    const { address } = this.place;
    const words = ['talosctl', '--talosconfig', TALOSCONFIG, 'bootstrap', '-n', address, '-e', address];
    this.refusal = yield* retried(session, shell, platform, words);
  }
}

/** Runs a command until it works, for five minutes; what it said last when it never did. */
function* retried(session: Session, shell: OperatorShell, platform: Platform, words: readonly string[]): Task<string> {
  const untilUs = session.nowUs + 300 * SECOND_US;
  for (;;) {
    const output = yield* shell.run(platform, words);
    if (output.exitCode === 0) return '';
    if (session.nowUs >= untilUs) return output.stderr.trim();
    yield* platform.clock.sleep(POLL_US);
  }
}

function scenarioOf(
  configs: readonly TriedConfig[],
  places: readonly Placement[],
  layout: Layout,
  epochUs: number | undefined,
  disks: readonly DiskEntry[] | undefined,
): Scenario {
  return {
    file: '',
    name: 'try',
    talosVersion: DEFAULT_VERSION.text,
    networks: layout.networks,
    reserved: [...layout.reserved],
    ...(epochUs !== undefined && { epochUs }),
    machines: configs.map(({ name, install }, index) => {
      const { address, network, card } = places[index]!;
      return {
        name,
        address,
        network,
        ...card,
        disks: disks ?? [diskFor(install)],
        cpuCount: 4,
        memoryBytes: 8_589_934_592,
        powered: true,
      };
    }),
    steps: [],
    expect: [],
    violates: [],
    mistakes: [],
  };
}
