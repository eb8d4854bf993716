import type { ServiceInfo } from '../../api/machine/lifecycle.ts';
import { MachineService } from '../../api/machine/services.ts';
import { joinErrors } from '../../cosi/index.ts';
import type { Task } from '../../platform/task.ts';
import { Empty } from '../../rpc/well-known.ts';
import { errorText, NodeError } from '../errors.ts';
import { compareAddresses } from '../net/addresses.ts';
import { Diagnostics, MachineStatuses, VolumeStatuses } from '../resources/runtime.ts';
import { check, type HealthCheck, type HealthSubject, MINUTE_US } from './check.ts';
import { addressesOf, type ClusterNode } from './cluster-nodes.ts';

const MIB = 1_048_576;
const MINIMUM_MEMORY_MIB = Object.freeze({ controlPlane: 1848 - 150, worker: 1024 - 150 });
/** 6 GiB less what EFI, STATE, META and rounding take. */
const MINIMUM_EPHEMERAL_BYTES = (6 * 1024 - 100 - 100 - 1 - 10) * MIB;

/** Checks 1 to 9: the machines themselves (reference/lifecycle-api-cli.md D.2, reference/v1.11.3.md 13). */
export const NODE_CHECKS: readonly HealthCheck[] = Object.freeze([
  check('etcd to be healthy', (subject) => serviceHealthy(subject, 'etcd')),
  check('etcd members to be consistent across nodes', membersConsistent),
  check('etcd members to be control plane nodes', membersAreControlPlanes),
  check('apid to be ready', apidReady),
  check('all nodes memory sizes', memorySizes),
  check('all nodes disk sizes', diskSizes),
  check('no diagnostics', noDiagnostics, { limitUs: MINUTE_US }),
  check('kubelet to be healthy', (subject) => serviceHealthy(subject, 'kubelet')),
  check('all nodes to finish boot sequence', bootFinished),
]);

function* serviceHealthy({ asker, nodes }: HealthSubject, id: string): Task<void> {
  const asked = addressesOf(nodes.controlPlanes);
  const answers = yield* asker.ask(MachineService.ServiceList, Empty.empty, asked);
  const services = answers.flatMap(({ node, answer }) =>
    answer.services.filter((service) => service.id === id).map((service) => ({ node, service })),
  );
  if (services.length !== asked.length) {
    throw new NodeError(`expected a response with ${asked.length} node(s), got ${services.length}`);
  }
  const problems = services.flatMap(({ node, service }) => {
    const problem = serviceProblem(service);
    return problem === undefined ? [] : [`${node}: ${problem}`];
  });
  if (problems.length > 0) throw new NodeError(joinErrors(problems));
}

function serviceProblem(service: ServiceInfo): string | undefined {
  const last = service.events?.events.at(-1);
  if (last === undefined) return `no events recorded yet for service "${service.id}"`;
  if (last.state !== 'Running') {
    return `service "${service.id}" not in expected state "Running": current state [${last.state}] ${last.msg}`;
  }
  return service.health?.healthy === true ? undefined : `service is not healthy: ${service.id}`;
}

interface EtcdMember {
  readonly hostname: string;
  readonly id: string;
  readonly isLearner: boolean;
}

function* membersConsistent({ asker, nodes }: HealthSubject): Task<void> {
  let expected: readonly EtcdMember[] | undefined;
  for (const node of [...addressesOf(nodes.controlPlanes)].sort(compareAddresses)) {
    const members = yield* membersSeenBy(asker, node);
    expected ??= members;
    const names = (list: readonly EtcdMember[]): string => list.map(({ hostname }) => hostname).join(' ');
    if (members.length !== expected.length) {
      throw new NodeError(`${node}: expected to have [${names(expected)}] members, got [${names(members)}]`);
    }
    const stranger = members.find(
      ({ hostname, id, isLearner }) =>
        !expected!.some((m) => m.hostname === hostname && m.id === id && m.isLearner === isLearner),
    );
    if (stranger !== undefined) throw new NodeError(`${node}: found unexpected etcd member ${stranger.hostname}`);
  }
}

function* membersSeenBy(asker: HealthSubject['asker'], node: string): Task<readonly EtcdMember[]> {
  try {
    const [one] = yield* asker.ask(MachineService.EtcdMemberList, { queryLocal: false }, [node]);
    return one?.answer.members ?? [];
  } catch (error) {
    if (error instanceof NodeError) {
      throw new NodeError(`error getting etcd member list from node "${node}": ${errorText(error)}`);
    }
    throw error;
  }
}

function* membersAreControlPlanes({ asker, nodes }: HealthSubject): Task<void> {
  const [first] = addressesOf(nodes.controlPlanes);
  const [one] =
    first === undefined ? [] : yield* asker.ask(MachineService.EtcdMemberList, { queryLocal: false }, [first]);
  const hosts = (one?.answer.members ?? []).flatMap(({ peerUrls }) => peerUrls.map(hostOf));
  const known = nodes.controlPlanes.flatMap(({ addresses }) => addresses);
  if (hosts.every((host) => known.includes(host))) return;
  throw new NodeError(
    `etcd member ips [${hosts.join(' ')}] are not subset of control plane node ips [${known.join(' ')}]`,
  );
}

function hostOf(url: string): string {
  return url
    .replace(/^https?:\/\//, '')
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '');
}

function* apidReady({ asker, nodes }: HealthSubject): Task<void> {
  yield* asker.ask(MachineService.Version, Empty.empty, addressesOf(nodes.all));
}

function* memorySizes({ asker, nodes }: HealthSubject): Task<void> {
  const answers = yield* asker.ask(MachineService.Memory, Empty.empty, addressesOf(nodes.all));
  const problems = answers.flatMap(({ node, answer }) => {
    const controlPlane = nodes.controlPlanes.some(({ internalIp }) => internalIp === node);
    const minimum = controlPlane ? MINIMUM_MEMORY_MIB.controlPlane : MINIMUM_MEMORY_MIB.worker;
    const actual = Math.floor(Number(answer.meminfo?.memtotal ?? 0) / 1024);
    return actual >= minimum
      ? []
      : [`node "${node}" does not meet memory requirements: expected at least ${minimum} MiB, actual ${actual} MiB`];
  });
  if (problems.length > 0) throw new NodeError(joinErrors(problems));
}

function* diskSizes({ asker, nodes }: HealthSubject): Task<void> {
  const mib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;
  for (const node of addressesOf(nodes.all)) {
    const volumes = yield* asker.list(VolumeStatuses, node);
    const small = volumes.find(({ id, spec }) => id === 'EPHEMERAL' && spec.size < MINIMUM_EPHEMERAL_BYTES);
    if (small === undefined) continue;
    const { location, size } = small.spec;
    throw new NodeError(
      `ephemeral partition "${location}" for node "${node}" is too small, expected at least ` +
        `${mib(MINIMUM_EPHEMERAL_BYTES)}, actual ${mib(size)}`,
    );
  }
}

function* noDiagnostics({ asker, nodes }: HealthSubject): Task<void> {
  const found: string[] = [];
  for (const node of addressesOf(nodes.all)) {
    const warnings = yield* asker.list(Diagnostics, node);
    if (warnings.length > 0) found.push(`${node}: ${warnings.map(({ spec }) => spec.message).join(', ')}`);
  }
  if (found.length > 0) throw new NodeError(`active diagnostics: ${found.join('; ')}`);
}

function* bootFinished({ asker, nodes }: HealthSubject): Task<void> {
  const byStage = new Map<string, string[]>();
  for (const node of nodes.all) {
    const stage = yield* stageOf(asker, node);
    if (stage !== 'running') byStage.set(stage, [...(byStage.get(stage) ?? []), node.internalIp]);
  }
  if (byStage.size === 0) return;
  const stages = [...byStage.keys()].sort().map((stage) => `${stage}: [${byStage.get(stage)!.join(' ')}]`);
  throw new NodeError(`nodes are not running: ${stages.join(', ')}`);
}

function* stageOf(asker: HealthSubject['asker'], node: ClusterNode): Task<string> {
  const [status] = yield* asker.list(MachineStatuses, node.internalIp);
  return status?.spec.stage ?? 'unknown';
}
