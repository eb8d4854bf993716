import type { Platform } from '../../platform/platform.ts';
import { parseRfc3339, rfc3339 } from '../../platform/rfc3339.ts';
import type { Task } from '../../platform/task.ts';
import { KubeError } from '../objects/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { storageKey } from '../objects/path.ts';
import { findResource, type ResourceType } from '../objects/resources.ts';
import type { ApiService } from './service.ts';

/** Period of the reconciler and life of a master's lease (kube-apiserver's endpoint lease reconciler). */
const PERIOD_US = 10_000_000;
const MASTER_TTL_US = 15_000_000;

const SERVICES = findResource('v1', 'services')!;
const SLICES = findResource('discovery.k8s.io/v1', 'endpointslices')!;
const LEASES = findResource('coordination.k8s.io/v1', 'leases')!;

/**
 * Keeps the `kubernetes` Service and its EndpointSlice: every API server renews a record of its own and lists the addresses
 * of all whose record is fresh. A dead one drops out 15 to 25 s later.
 */
export function* reconcileEndpoints(
  service: ApiService,
  platform: Platform,
  address: string,
  port: number,
): Task<void> {
  for (;;) {
    try {
      yield* ensureService(service, port);
      yield* renew(service, platform, address);
      yield* writeSlice(service, platform, port);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
    }
    yield* platform.clock.sleep(PERIOD_US);
  }
}

function* ensureService(service: ApiService, port: number): Task<void> {
  const spec = {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
  };
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  yield* createUnlessThere(service, SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    spec,
  });
}

/** True when it was created. Looks into the cache before it writes: a refused write is a Raft entry, too. */
function* createUnlessThere(service: ApiService, type: ResourceType, object: KubeObject): Task<boolean> {
  const { name, namespace } = object.metadata;
  try {
    if (service.cacheOf(type).object(storageKey(type, namespace, name)) !== undefined) return false;
    yield* service.store.create(type, namespace, object);
    return true;
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return false;
    throw error;
  }
}

/** The record of one API server: a Lease named after its address. */
function* renew(service: ApiService, platform: Platform, address: string): Task<void> {
  const name = `apiserver-${address.replaceAll(/[.:]/g, '-')}`;
  const spec = {
    holderIdentity: address,
    leaseDurationSeconds: MASTER_TTL_US / 1_000_000,
    renewTime: rfc3339(platform.clock.nowUs(), true),
  };
  const lease: KubeObject = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-system', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } },
    spec,
  };
  if (yield* createUnlessThere(service, LEASES, lease)) return;
  yield* service.store.change(LEASES, 'kube-system', name, (current) => ({ ...current, spec }));
}

function* writeSlice(service: ApiService, platform: Platform, port: number): Task<void> {
  const leases = yield* service.store.list(LEASES, 'kube-system');
  const nowUs = platform.clock.nowUs();
  const fresh = leases.items
    .filter((lease) => lease.metadata.labels?.['apiserver.kubernetes.io/identity'] === 'kube-apiserver')
    .map((lease) => lease.spec as { holderIdentity: string; renewTime: string })
    .filter((spec) => nowUs - (parseRfc3339(spec.renewTime) ?? 0) < MASTER_TTL_US)
    .map((spec) => spec.holderIdentity)
    .sort();
  const body = {
    addressType: 'IPv4',
    endpoints: fresh.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  const labels = { 'kubernetes.io/service-name': 'kubernetes' };
  const slice: KubeObject = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'kubernetes', namespace: 'default', labels },
    ...body,
  };
  if (yield* createUnlessThere(service, SLICES, slice)) return;
  yield* service.store.change(SLICES, 'default', 'kubernetes', (current) => ({ ...current, ...body }));
}
