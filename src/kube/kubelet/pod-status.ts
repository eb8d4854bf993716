import type { KubeObject } from '../objects/object.ts';
import type { ContainerPhase, ContainerRunner } from './container-runner.ts';
import { podSpecOf } from './pod-spec.ts';

export interface PodStatus {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly ready: boolean;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface PodStatusInput {
  readonly pod: KubeObject;
  readonly hostAddress: string;
  readonly podAddress: string;
  readonly startTime: string;
  readonly init: readonly ContainerRunner[];
  readonly main: readonly ContainerRunner[];
  /** True once all init containers ended well. */
  readonly initialized: boolean;
  readonly stopping: boolean;
  /** When the condition got its present value. */
  readonly since: (condition: string, value: boolean) => string;
}

/** Phase, conditions and container states as the API has them. */
export function podStatus(input: PodStatusInput): PodStatus {
  const { main, init } = input;
  const phase = phaseOf(input);
  const ready = !input.stopping && phase === 'Running' && main.every((runner) => runner.ready);
  const condition = (type: string, value: boolean): object => ({
    type,
    status: value ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: input.since(type, value),
  });
  const address = input.podAddress === '' ? {} : { podIP: input.podAddress, podIPs: [{ ip: input.podAddress }] };
  const body = {
    phase,
    conditions: [
      condition('PodReadyToStartContainers', input.podAddress !== ''),
      condition('Initialized', input.initialized),
      condition('Ready', ready),
      condition('ContainersReady', ready),
      condition('PodScheduled', true),
    ],
    hostIP: input.hostAddress,
    hostIPs: [{ ip: input.hostAddress }],
    ...address,
    startTime: input.startTime,
    ...(init.length > 0 && { initContainerStatuses: init.map(containerStatus) }),
    containerStatuses: main.map(containerStatus),
    qosClass: 'Burstable',
  };
  return { phase, ready, body };
}

function phaseOf({ pod, main, initialized }: PodStatusInput): PodStatus['phase'] {
  const { restartPolicy = 'Always' } = podSpecOf(pod);
  if (!initialized) return 'Pending';
  const ended = main.every(({ phase }) => phase.kind === 'terminated');
  if (ended && restartPolicy !== 'Always') {
    const failed = main.some(({ phase }) => phase.kind === 'terminated' && phase.exit.code !== 0);
    if (!failed) return 'Succeeded';
    if (restartPolicy === 'Never') return 'Failed';
  }
  const begun = main.some(
    (runner) => runner.phase.kind !== 'waiting' || runner.restarts > 0 || runner.last !== undefined,
  );
  return begun ? 'Running' : 'Pending';
}

function containerStatus(runner: ContainerRunner): object {
  const { entry, phase, last, restarts } = runner;
  return {
    name: entry.name,
    image: entry.image,
    state: stateOf(phase),
    lastState: last === undefined || phase === last ? {} : stateOf(last),
    ready: runner.ready,
    started: runner.started,
    restartCount: restarts,
  };
}

function stateOf(phase: ContainerPhase): object {
  switch (phase.kind) {
    case 'waiting':
      return { waiting: { reason: phase.reason, ...(phase.message !== undefined && { message: phase.message }) } };
    case 'running':
      return { running: { startedAt: phase.startedAt } };
    case 'terminated': {
      const { exit, startedAt, finishedAt } = phase;
      const reason = exit.outOfMemory === true ? 'OOMKilled' : exit.code === 0 ? 'Completed' : 'Error';
      return { terminated: { exitCode: exit.code, reason, startedAt, finishedAt } };
    }
    default:
      return phase satisfies never;
  }
}
