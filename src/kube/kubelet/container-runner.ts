import type { Container, ContainerSpec, Containers, ExitStatus } from '../../platform/containers.ts';
import { ContainerError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import { rfc3339 } from '../../platform/rfc3339.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import type { ContainerEntry } from './pod-spec.ts';
import { refuseUnsupportedProbes, runProbes, UnsupportedProbe } from './probes.ts';
import { VolumeMissing } from './volumes.ts';

/** Crash back-off of containers: 10 s doubling to 5 min, forgotten after 10 min of running. */
const BACKOFF_FIRST_US = 10_000_000;
const BACKOFF_MAX_US = 300_000_000;
const BACKOFF_RESET_US = 600_000_000;
const POLL_US = 500_000;

export interface RunnerDeps {
  readonly platform: Platform;
  readonly containers: Containers;
  readonly scope: TaskScope;
  readonly id: string;
  readonly podAddress: () => string;
  readonly graceUs: number;
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  /** A container that runs already under this id is this pod's own, from before the kubelet was restarted. */
  readonly adopt: () => boolean;
  /** Sets up what the container needs; throws ContainerError or an error that `waitingReason` knows. */
  readonly spec: () => Task<ContainerSpec>;
  readonly onChange: () => void;
}

/** What the API shows of a container. */
export type ContainerPhase =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedAt: string }
  | { readonly kind: 'terminated'; readonly exit: ExitStatus; readonly startedAt: string; readonly finishedAt: string };

/** Keeps one container of a pod in the state that the pod's restart policy asks for. */
export class ContainerRunner {
  readonly entry: ContainerEntry;
  readonly #deps: RunnerDeps;
  phase: ContainerPhase = { kind: 'waiting', reason: 'ContainerCreating' };
  last: ContainerPhase | undefined;
  restarts = 0;
  started = false;
  ready = false;

  constructor(entry: ContainerEntry, deps: RunnerDeps) {
    this.entry = entry;
    this.#deps = deps;
  }

  /** Runs to its end, and again as the policy says; returns the last exit. */
  *run(): Task<ExitStatus> {
    const { clock } = this.#deps.platform;
    let backoffUs = BACKOFF_FIRST_US;
    for (let runs = 1; ; runs++) {
      const beganUs = clock.monotonicUs();
      const exit = yield* this.#runOnce(runs === 1);
      const again =
        this.#deps.restartPolicy === 'Always' || (this.#deps.restartPolicy === 'OnFailure' && exit.code !== 0);
      if (!again) return exit;
      if (clock.monotonicUs() - beganUs > BACKOFF_RESET_US) {
        backoffUs = BACKOFF_FIRST_US;
        runs = 1;
      }
      // The first restart is immediate; the back-off begins with the second.
      if (runs > 1) {
        this.#wait('CrashLoopBackOff', `back-off ${Math.floor(backoffUs / 1_000_000)}s restarting failed container`);
        yield* clock.sleep(backoffUs);
        backoffUs = Math.min(BACKOFF_MAX_US, backoffUs * 2);
      }
      this.restarts++;
    }
  }

  *#runOnce(first: boolean): Task<ExitStatus> {
    const { clock } = this.#deps.platform;
    const container = yield* this.#obtain(first);
    const startedAt = rfc3339(container.info.startedAtUs);
    this.phase = { kind: 'running', startedAt };
    const probes = this.#deps.scope.child(`probes ${this.entry.name}`);
    probes.spawn('run', () => this.#probe(probes, container));
    this.#deps.onChange();
    const exit = yield* container.wait();
    probes.cancel();
    this.started = false;
    this.ready = false;
    this.phase = { kind: 'terminated', exit, startedAt, finishedAt: rfc3339(clock.nowUs()) };
    this.last = this.phase;
    this.#deps.onChange();
    return exit;
  }

  *#probe(scope: TaskScope, container: Container): Task<void> {
    const { net, clock, crypto } = this.#deps.platform;
    yield* runProbes({ net, clock, crypto, scope }, this.entry, this.#deps.podAddress(), {
      started: () => {
        this.started = true;
        this.#deps.onChange();
      },
      ready: (ready) => {
        if (ready === this.ready) return;
        this.ready = ready;
        this.#deps.onChange();
      },
      unhealthy: () => {
        this.#deps.scope.spawn(`restart ${this.entry.name}`, () =>
          stopContainer(this.#deps.platform, container, this.#deps.graceUs),
        );
      },
    });
  }

  /** Finds the container that runs already, or starts one; keeps trying. */
  *#obtain(first: boolean): Task<Container> {
    const { containers, platform, id, graceUs } = this.#deps;
    const existing = containers.find('k8s.io', id);
    if (existing !== undefined && existing.info.state !== 'exited') {
      if (first && this.#deps.adopt()) return existing;
      yield* stopContainer(platform, existing, graceUs);
    }
    let backoffUs = BACKOFF_FIRST_US;
    for (;;) {
      try {
        refuseUnsupportedProbes(this.entry);
        const spec = yield* this.#deps.spec();
        yield* containers.pull(spec.image);
        return yield* containers.run(spec);
      } catch (error) {
        const reason = waitingReason(error);
        if (reason === undefined) throw error;
        this.#wait(reason, error instanceof Error ? error.message : '');
      }
      yield* platform.clock.sleep(backoffUs);
      backoffUs = Math.min(BACKOFF_MAX_US, backoffUs * 2);
    }
  }

  #wait(reason: string, message: string): void {
    this.phase = { kind: 'waiting', reason, message };
    this.#deps.onChange();
  }
}

function waitingReason(error: unknown): string | undefined {
  if (error instanceof VolumeMissing) return 'ContainerCreating';
  if (error instanceof UnsupportedProbe) return 'CreateContainerConfigError';
  if (!(error instanceof ContainerError)) return undefined;
  const pulling = error.code === 'pull-failed' || error.code === 'image-not-found';
  return pulling ? 'ImagePullBackOff' : 'CreateContainerError';
}

/** SIGTERM, then SIGKILL when the grace period is over; returns when it is gone. */
export function* stopContainer(platform: Platform, container: Container, graceUs: number): Task<void> {
  const { clock } = platform;
  if (hasEnded(container)) return;
  container.signal('SIGTERM');
  const deadlineUs = clock.monotonicUs() + graceUs;
  while (!hasEnded(container) && clock.monotonicUs() < deadlineUs) yield* clock.sleep(POLL_US);
  if (!hasEnded(container)) container.signal('SIGKILL');
  while (!hasEnded(container)) yield* clock.sleep(POLL_US);
}

function hasEnded(container: Container): boolean {
  return container.info.state === 'exited';
}
