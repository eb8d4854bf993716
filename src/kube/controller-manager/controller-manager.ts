import { race } from '../../platform/combinators.ts';
import type { Process } from '../../platform/containers.ts';
import { keyPairFromPem } from '../../platform/crypto.ts';
import type { Task } from '../../platform/task.ts';
import { connect } from '../component/connect.ts';
import { type ComponentFlags, parseComponentFlags } from '../component/flags.ts';
import { LeaderElection } from '../component/leader-election.ts';
import { readFlagFile, untilStopped } from '../component/process.ts';
import { serveComponentHealth } from '../component/serving.ts';
import { waitForApi } from '../component/wait-for-api.ts';
import { openContext } from './context.ts';
import { signKubeletCertificates } from './controllers/csr.ts';
import { collectGarbage } from './controllers/garbage.ts';
import { assignPodCidrs } from './controllers/node-ipam.ts';
import { watchNodes } from './controllers/node-lifecycle.ts';
import { runWorkloads } from './controllers/workloads.ts';

/** Flags that Talos gives it (reference/v1.11.3.md 17.3) and common ones; unknown ones are refused. */
const KNOWN_FLAGS: readonly string[] = Object.freeze([
  'allocate-node-cidrs',
  'authentication-kubeconfig',
  'authorization-kubeconfig',
  'bind-address',
  'cloud-provider',
  'cluster-cidr',
  'cluster-signing-cert-file',
  'cluster-signing-key-file',
  'configure-cloud-routes',
  'controllers',
  'feature-gates',
  'kubeconfig',
  'leader-elect',
  'node-cidr-mask-size',
  'profiling',
  'root-ca-file',
  'service-account-private-key-file',
  'service-cluster-ip-range',
  'terminated-pod-gc-threshold',
  'tls-min-version',
  'use-service-account-credentials',
  'v',
]);

const HEALTH_PORT = 10_257;

/** kube-controller-manager: leader election, then the controllers that bring-up needs. */
export function* kubeControllerManager(process: Process): Task<number> {
  const flags = parseComponentFlags(process.argv, KNOWN_FLAGS);
  if (typeof flags === 'string') {
    process.print(flags);
    return 1;
  }
  return yield* race({ serve: serve(process, flags), stop: untilStopped(process) });
}

function* serve(process: Process, flags: ComponentFlags): Task<number> {
  const { platform } = process;
  const client = yield* connect(platform, flags.values.kubeconfig ?? '');
  const certificate = yield* readFlagFile(platform, flags, 'cluster-signing-cert-file');
  const key = yield* readFlagFile(platform, flags, 'cluster-signing-key-file');
  if (client === undefined || certificate === undefined || key === undefined) {
    process.print('Error: kubeconfig or cluster signing files cannot be read');
    return 1;
  }
  const address = flags.values['bind-address'] ?? '0.0.0.0';
  if (!(yield* serveComponentHealth(process, address, HEALTH_PORT))) return 1;
  if (!(yield* waitForApi(process, client))) return 1;
  const identity = `${process.env.HOSTNAME ?? 'localhost'}_${platform.random.uint32().toString(16)}`;
  const election = new LeaderElection(client, platform, 'kube-controller-manager', identity);
  yield* election.acquire();
  const context = openContext(
    platform,
    client,
    keyPairFromPem(platform.crypto, certificate, key),
    flags.values['cluster-cidr'] ?? '10.244.0.0/16',
  );
  const controllers = {
    csr: signKubeletCertificates,
    nodes: watchNodes,
    ipam: assignPodCidrs,
    workloads: runWorkloads,
    garbage: collectGarbage,
  };
  for (const [name, run] of Object.entries(controllers)) platform.scope.spawn(name, () => run(context));
  yield* election.hold();
  process.print('leaderelection lost');
  return 1;
}
