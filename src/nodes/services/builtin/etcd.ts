import { waitFor } from '../../../cosi/index.ts';
import type { EtcdClient } from '../../../etcd/client/client.ts';
import type { ContainerSpec } from '../../../platform/containers.ts';
import type { Task, TaskHandle } from '../../../platform/task.ts';
import { NodeError } from '../../errors.ts';
import { type EtcdStart, etcdArguments } from '../../etcd/arguments.ts';
import { openLocalEtcd, validateQuorum } from '../../etcd/client.ts';
import { joinCluster } from '../../etcd/join.ts';
import { promoteLearner } from '../../etcd/promote.ts';
import { recoverFromSnapshot } from '../../etcd/recover.ts';
import type { Machine } from '../../machine.ts';
import { ETCD, type EtcdSpecSpec, EtcdSpecs, PkiStatuses } from '../../resources/etcd.ts';
import { etcdSpec, network, timeSync, volume } from '../conditions.ts';
import { pullImage } from '../images.ts';
import { containerRunner, restartForever } from '../runner.ts';
import type { ServiceDefinition } from '../service.ts';

export const ETCD_DATA = '/var/lib/etcd';

export interface EtcdServiceOptions {
  /** This start founds the cluster. */
  readonly bootstrap: boolean;
  /** Found it from the uploaded snapshot. */
  readonly recover?: { readonly skipHashCheck: boolean };
}

/** The etcd service (reference/controllers.md C.2, reference/v1.11.3.md 2). */
export function etcdService(machine: Machine, options: EtcdServiceOptions): ServiceDefinition {
  const { clock, containers, scope } = machine.platform;
  const rules = machine.profile.etcd;
  let argv: readonly string[] = [];
  let learnerId = '';
  let promotion: TaskHandle<void> | undefined;
  let client: EtcdClient | undefined;

  return {
    id: ETCD,
    dependsOn: ['cri'],
    volumes: () => [volume(machine, '/var/lib'), volume(machine, ETCD_DATA)],
    conditions: () => [timeSync(machine), network(machine, 'address', 'hostname', 'etcFiles'), etcdSpec(machine)],
    *preStart() {
      const spec = machine.state.get(EtcdSpecs, ETCD)!.spec;
      yield* machine.files.disk.makeDirectory(ETCD_DATA);
      yield* pullImage(machine, spec.image);
      const start = yield* decideStart(machine, spec, options, (id) => {
        learnerId = id;
      });
      argv = etcdArguments(rules, spec, start);
      yield* waitFor(machine.state, PkiStatuses, ETCD, (status) => status !== undefined);
    },
    createRunner: () => {
      if (learnerId !== '') {
        const id = learnerId;
        learnerId = '';
        promotion = scope.spawn('etcd-promotion', () => promoteLearner(machine, id));
      }
      return restartForever(
        clock,
        containerRunner(containers, clock, () => containerSpec(machine, argv), logOf(machine)),
      );
    },
    *postStop() {
      promotion?.cancel();
      promotion = undefined;
      client?.close();
      client = undefined;
    },
    health: {
      settings: {
        initialDelayUs: rules.healthInitialUs,
        periodUs: rules.healthPeriodUs,
        timeoutUs: rules.healthTimeoutUs,
      },
      *check() {
        client ??= yield* openLocalEtcd(machine);
        yield* validateQuorum(client);
      },
    },
  };
}

function logOf(machine: Machine): (line: string) => void {
  const log = machine.serviceLogs.of(ETCD);
  return (line) => log.add(line);
}

/** What is in the data directory decides; an empty one is founded or joined. */
function* decideStart(
  machine: Machine,
  spec: EtcdSpecSpec,
  options: EtcdServiceOptions,
  onLearner: (id: string) => void,
): Task<EtcdStart> {
  if (options.recover !== undefined) yield* recoverFromSnapshot(machine, spec, options.recover.skipHashCheck);
  if (!(yield* machine.files.isEmptyDirectory(ETCD_DATA))) return { kind: 'from-data' };
  if (options.bootstrap) return { kind: 'new' };
  if (Object.hasOwn(spec.extraArgs, 'initial-cluster')) {
    return { kind: 'existing', initialCluster: spec.extraArgs['initial-cluster']! };
  }
  const joined = yield* joinCluster(machine, spec);
  if (joined.learnerId === '') throw new NodeError('etcd did not say which member was added');
  onLearner(joined.learnerId);
  return { kind: 'existing', initialCluster: joined.initialCluster };
}

function containerSpec(machine: Machine, argv: readonly string[]): ContainerSpec {
  const spec = machine.state.get(EtcdSpecs, ETCD)!.spec;
  return {
    id: ETCD,
    namespace: 'system',
    image: spec.image,
    args: argv,
    env: machine.profile.etcd.environment,
    mounts: [
      { source: '/system/secrets/etcd', destination: '/system/secrets/etcd', readOnly: true },
      { source: ETCD_DATA, destination: ETCD_DATA },
    ],
    network: 'host',
  };
}
