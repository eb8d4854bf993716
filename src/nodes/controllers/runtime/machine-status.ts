import { at } from '../../../config/view.ts';
import type { Controller, ControllerContext } from '../../../cosi/index.ts';
import { exclusive, weak } from '../../../cosi/index.ts';
import { isControlPlane, type MachineType } from '../../config/settings.ts';
import { machineStatus } from '../../events.ts';
import type { Machine } from '../../machine.ts';
import type { MachineEventPayload } from '../../machine-events.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import { Nodenames, NodeStatuses, StaticPodStatuses } from '../../resources/k8s.ts';
import { NetworkStatuses } from '../../resources/network.ts';
import {
  type MachineStage,
  MachineStatuses,
  type MachineStatusSpec,
  Services,
  TimeStatuses,
} from '../../resources/runtime.ts';

interface Unmet {
  readonly name: string;
  readonly reason: string;
}

/** Stage and readiness of the machine (reference/lifecycle-api-cli.md A.6, reference/v1.11.3.md 6.4). */
export function machineStatusController(machine: Machine): Controller {
  const { events, platform, kmsg } = machine;
  return {
    name: 'runtime.MachineStatusController',
    inputs: [
      weak(Services),
      weak(TimeStatuses, 'node'),
      weak(NetworkStatuses, 'status'),
      weak(MachineTypes, MACHINE_TYPE),
      weak(Nodenames, 'nodename'),
      weak(NodeStatuses),
      weak(StaticPodStatuses),
    ],
    outputs: [exclusive(MachineStatuses)],
    *run(context) {
      context.wakeOn(events.added);
      let stage: MachineStage = context.get(MachineStatuses, 'machine')?.spec.stage ?? 'unknown';
      let sequence = '';
      const unread = events.from(events.start);
      let announced = false;
      for (;;) {
        yield* context.wakeUp();
        for (const { payload } of unread) {
          if (payload.type === 'SequenceEvent' && payload.action === 'START') sequence = payload.sequence;
          const next = nextStage(stage, sequence, payload);
          if (next === stage) continue;
          stage = next;
          write(context, stage);
        }
        const status = write(context, stage);
        if (stage === 'running' && status.status.ready && !announced) {
          announced = true;
          kmsg.talos('machine is running and ready');
        }
        context.resetRestartBackoff();
      }
    },
  };

  function write(context: ControllerContext, stage: MachineStage): MachineStatusSpec {
    const unmet = stage === 'booting' || stage === 'running' ? unmetConditions(context) : [];
    const spec: MachineStatusSpec = { stage, status: { ready: unmet.length === 0, unmetConditions: unmet } };
    const before = context.get(MachineStatuses, 'machine')?.metadata.version;
    const after = context.set(MachineStatuses, 'machine', spec).metadata.version;
    if (after !== before) {
      events.publish({ type: 'MachineStatusEvent', status: spec });
      platform.log.event(machineStatus, {
        stage,
        ready: spec.status.ready,
        unmet: unmet.map(({ name, reason }) => `${name}: ${reason}`),
      });
    }
    return spec;
  }
}

const STAGE_OF_SEQUENCE: Readonly<Record<string, MachineStage>> = Object.freeze({
  initialize: 'booting',
  boot: 'booting',
  reboot: 'rebooting',
  shutdown: 'shutting down',
  reset: 'resetting',
  upgrade: 'upgrading',
  stageUpgrade: 'upgrading',
  maintenanceUpgrade: 'upgrading',
});

const KEXEC_SEQUENCES: readonly string[] = Object.freeze(['install', 'upgrade', 'stageUpgrade', 'maintenanceUpgrade']);

function nextStage(stage: MachineStage, sequence: string, event: MachineEventPayload): MachineStage {
  switch (event.type) {
    case 'SequenceEvent':
      if (event.action === 'START') return STAGE_OF_SEQUENCE[event.sequence] ?? stage;
      if (event.action === 'STOP') return event.sequence === 'boot' ? 'running' : stage;
      if (event.error?.code !== 'FATAL' || stage === 'shutting down') return stage;
      return 'rebooting';
    case 'PhaseEvent':
      if (event.action !== 'START') return stage;
      if (event.phase === 'install' && sequence === 'install') return 'installing';
      return event.phase === 'kexec' && KEXEC_SEQUENCES.includes(sequence) ? 'rebooting' : stage;
    case 'TaskEvent':
      if (event.task !== 'runningMaintenance') return stage;
      return event.action === 'START' ? 'maintenance' : 'booting';
    default:
      return stage;
  }
}

function unmetConditions(context: ControllerContext): readonly Unmet[] {
  const type = context.get(MachineTypes, MACHINE_TYPE)?.spec;
  const checks: readonly (Unmet | undefined)[] = [
    checkTime(context),
    checkNetwork(context),
    checkServices(context, type),
    type !== undefined && isControlPlane(type) ? checkStaticPods(context) : undefined,
    checkNode(context),
  ];
  return checks.filter((unmet) => unmet !== undefined);
}

function checkTime(context: ControllerContext): Unmet | undefined {
  if (context.get(TimeStatuses, 'node')?.spec.synced === true) return undefined;
  return { name: 'time', reason: 'time is not synced' };
}

function checkNetwork(context: ControllerContext): Unmet | undefined {
  const status = context.get(NetworkStatuses, 'status')?.spec;
  const missing = [
    status?.addressReady === true ? '' : 'address',
    status?.connectivityReady === true ? '' : 'connectivity',
    status?.etcFilesReady === true ? '' : 'etc-files',
    status?.hostnameReady === true ? '' : 'hostname',
  ].filter((facet) => facet !== '');
  return missing.length === 0 ? undefined : { name: 'network', reason: `waiting on: ${missing.join(', ')}` };
}

function checkServices(context: ControllerContext, type: MachineType | undefined): Unmet | undefined {
  const required = ['apid', 'machined', 'kubelet'];
  if (type !== undefined && isControlPlane(type)) required.push('etcd', 'trustd');
  const services = context.list(Services);
  const missing = required
    .filter((id) => !services.some(({ metadata }) => metadata.id === id))
    .map((id) => `${id} not running`);
  const unhealthy = services
    .filter(({ spec }) => !spec.unknown && !spec.healthy)
    .map(({ metadata }) => `${metadata.id} not healthy`);
  const reasons = [...missing.sort(), ...unhealthy];
  return reasons.length === 0 ? undefined : { name: 'services', reason: reasons.join(', ') };
}

function checkStaticPods(context: ControllerContext): Unmet | undefined {
  const reasons: string[] = [];
  for (const { metadata, spec } of context.list(StaticPodStatuses)) {
    const phase = at(spec.podStatus, 'phase');
    if (phase === 'Pending') reasons.push(`${metadata.id} pending`);
    else if (phase === 'Failed') reasons.push(`${metadata.id} failed`);
    else if (!podReady(spec.podStatus)) reasons.push(`${metadata.id} not ready`);
  }
  return reasons.length === 0 ? undefined : { name: 'staticPods', reason: reasons.join(', ') };
}

function podReady(status: Parameters<typeof at>[0]): boolean {
  const conditions = at(status, 'conditions');
  if (!Array.isArray(conditions)) return false;
  return conditions.some((condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True');
}

function checkNode(context: ControllerContext): Unmet | undefined {
  const nodename = context.get(Nodenames, 'nodename');
  if (nodename === undefined || nodename.spec.skipNodeRegistration) return undefined;
  const name = nodename.spec.nodename;
  const status = context.get(NodeStatuses, name);
  if (status === undefined) return { name: 'nodeReady', reason: `node "${name}" status is not available yet` };
  return status.spec.nodeReady ? undefined : { name: 'nodeReady', reason: `node "${name}" is not ready` };
}
