import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { State } from '../../src/api/cosi/state.ts';
import { ApplyConfigurationRequest, ApplyMode, BootstrapRequest } from '../../src/api/machine/lifecycle.ts';
import { EventsRequest, LogsRequest } from '../../src/api/machine/observe.ts';
import { MachineService } from '../../src/api/machine/services.ts';
import { MachineConfigs } from '../../src/nodes/resources/config.ts';
import { EtcdRootSecrets } from '../../src/nodes/resources/secrets.ts';
import { utf8Decode, utf8Encode } from '../../src/platform/bytes.ts';
import { refusal, SECOND_US, TestCluster } from './cluster.ts';

const INSECURE = { tls: { insecureSkipVerify: true } };
const BOOTSTRAP = BootstrapRequest.empty;

describe('the API of a machine without a config (reference/v1.11.3.md 5)', () => {
  let cluster: TestCluster;
  beforeAll(() => {
    cluster = new TestCluster({ controlPlanes: 1 });
    cluster.powerOn();
  });
  afterAll(() => cluster.close());

  const call = (name: 'Version' | 'ServiceList' | 'Bootstrap' | 'Hostname') =>
    refusal(() => cluster.api('10.0.0.10', MachineService[name], {} as never, INSECURE));

  it('refuses what needs a cluster, by name', () => {
    expect([call('Bootstrap').status, call('Bootstrap').message]).toEqual([
      'Unimplemented',
      'method Bootstrap not implemented',
    ]);
    expect(call('ServiceList').message).toBe('method ServiceList not implemented');
    expect([call('Version').status, call('Version').message]).toEqual([
      'Unimplemented',
      'API is not implemented in maintenance mode',
    ]);
  });

  it('cannot be verified with the certificates of a cluster', () => {
    const error = refusal(() => cluster.api('10.0.0.10', MachineService.Version, {}));
    expect(error.status).toBe('Unavailable');
    expect(error.message).toMatch(/certificate signed by unknown authority|tls|x509/);
  });

  it('refuses a config with errors and stays as it is', () => {
    const data = utf8Encode(cluster.configOf(cluster.machines[0]!).replace('type: controlplane', 'type: king'));
    const request = ApplyConfigurationRequest.of({ data, mode: ApplyMode.Auto });
    const error = refusal(() => cluster.api('10.0.0.10', MachineService.ApplyConfiguration, request, INSECURE));
    expect(error.status).toBe('InvalidArgument');
    expect(cluster.seen('node.config.applied')).toHaveLength(0);
  });

  it('accepts a dry run without leaving maintenance', () => {
    const data = utf8Encode(cluster.configOf(cluster.machines[0]!));
    const request = ApplyConfigurationRequest.of({ data, mode: ApplyMode.Auto, dryRun: true });
    cluster.api('10.0.0.10', MachineService.ApplyConfiguration, request, INSECURE);
    cluster.advance(10 * SECOND_US);
    expect(cluster.seen('node.config.applied')).toHaveLength(0);
  });

  it('refuses connections from the acceptance of a config until apid runs after the reboot', () => {
    cluster.apply(cluster.machines[0]!);
    cluster.advance(8 * SECOND_US);
    const error = refusal(() => cluster.api('10.0.0.10', MachineService.Version, {}));
    expect(error.message).toContain('connection refused');
    cluster.awaitService('apid', 'cp-1', 120 * SECOND_US);
    expect(cluster.api('10.0.0.10', MachineService.Version, {}).messages[0]!.version!.tag).toBe('v1.11.3');
  });
});

describe('the API of a cluster', () => {
  let cluster: TestCluster;
  beforeAll(() => {
    cluster = new TestCluster({ controlPlanes: 2, workers: 1 });
    cluster.powerOn();
    cluster.install();
    cluster.advance(10 * SECOND_US);
  });
  afterAll(() => cluster.close());

  const bootstrap = (node: string) => () =>
    cluster.api('10.0.0.10', MachineService.Bootstrap, BOOTSTRAP, { nodes: node });

  it('guards Bootstrap: not on workers, once per data directory', () => {
    const onWorker = cluster.api('10.0.0.10', MachineService.Bootstrap, BOOTSTRAP, { nodes: '10.0.0.21' });
    expect(onWorker.messages[0]!.metadata?.error).toBe(
      'rpc error: code = FailedPrecondition desc = bootstrap can only be performed on a control plane node',
    );
    expect(bootstrap('10.0.0.10')().messages[0]!.metadata?.error).toBe('');
    cluster.awaitService('etcd', 'cp-1', 60 * SECOND_US);
    expect(bootstrap('10.0.0.10')().messages[0]!.metadata?.error).toBe(
      'rpc error: code = AlreadyExists desc = etcd data directory is not empty',
    );
    cluster.awaitService('etcd', 'cp-2', 180 * SECOND_US);
  });

  it('asks several nodes at once and says who answered', () => {
    const { messages } = cluster.api(
      '10.0.0.11',
      MachineService.Hostname,
      {},
      { nodes: '10.0.0.10,10.0.0.11,10.0.0.21' },
    );
    expect(messages.map(({ metadata, hostname }) => [metadata!.hostname, hostname])).toEqual([
      ['10.0.0.10', 'cp-1'],
      ['10.0.0.11', 'cp-2'],
      ['10.0.0.21', 'worker-1'],
    ]);
  });

  it('puts the error of a node that does not answer beside the answers of the others', () => {
    const { messages } = cluster.api('10.0.0.10', MachineService.Hostname, {}, { nodes: '10.0.0.10,10.0.0.77' });
    expect(messages[0]!.hostname).toBe('cp-1');
    expect(messages[1]!.hostname).toBe('');
    expect(messages[1]!.metadata!.error).toMatch(/^rpc error: code = Unavailable desc = /);
  });

  it('does not forward through a worker', () => {
    const error = refusal(() => cluster.api('10.0.0.21', MachineService.Hostname, {}, { nodes: '10.0.0.10' }));
    expect([error.status, error.message]).toEqual(['PermissionDenied', 'no request forwarding']);
    const own = cluster.api('10.0.0.21', MachineService.Hostname, {}, { nodes: '10.0.0.21' });
    expect(own.messages[0]!.hostname).toBe('worker-1');
  });

  it('holds callers to their roles, also behind a proxy', () => {
    const reader = { tls: cluster.identity('os:reader') };
    expect(cluster.api('10.0.0.10', MachineService.Hostname, {}, reader).messages[0]!.hostname).toBe('cp-1');
    const reboot = refusal(() => cluster.api('10.0.0.10', MachineService.Reboot, { mode: 0 }, reader));
    expect([reboot.status, reboot.message]).toEqual(['PermissionDenied', 'not authorized']);
    const proxied = cluster.api('10.0.0.10', MachineService.Reboot, { mode: 0 }, { ...reader, nodes: '10.0.0.11' });
    expect(proxied.messages[0]!.metadata?.error).toBe('rpc error: code = PermissionDenied desc = not authorized');
    const backup = { tls: cluster.identity('os:etcd:backup') };
    expect(cluster.api('10.0.0.10', MachineService.EtcdMemberList, { queryLocal: true }, backup).messages).toHaveLength(
      1,
    );
    expect(refusal(() => cluster.api('10.0.0.10', MachineService.Hostname, {}, backup)).status).toBe(
      'PermissionDenied',
    );
  });

  it('lets nobody in without a certificate of the cluster', () => {
    const error = refusal(() => cluster.api('10.0.0.10', MachineService.Hostname, {}, INSECURE));
    expect(error.status).toBe('Unavailable');
  });

  it('shows resources, sensitive ones to administrators only', () => {
    const get = (
      tls: ReturnType<TestCluster['identity']> | undefined,
      kind: { namespace: string; type: string },
      id: string,
    ) =>
      cluster.api(
        '10.0.0.10',
        State.Get,
        { namespace: kind.namespace, type: kind.type, id },
        tls === undefined ? {} : { tls },
      );
    expect(get(undefined, EtcdRootSecrets, 'etcd').resource?.spec?.yamlSpec).toContain('BEGIN CERTIFICATE');
    expect(refusal(() => get(cluster.identity('os:reader'), EtcdRootSecrets, 'etcd')).status).toBe('PermissionDenied');
    const missing = refusal(() => get(undefined, MachineConfigs, 'nothing'));
    expect(missing.status).toBe('NotFound');
    expect(missing.message).toContain("doesn't exist");
    const unknown = refusal(() => get(undefined, { namespace: 'runtime', type: 'Unicorns.talos.dev' }, 'x'));
    expect(unknown.status).toBe('PermissionDenied');
  });

  it('watches: what is there, a mark, and what comes', () => {
    const request = {
      namespace: 'runtime',
      type: 'Services.v1alpha1.talos.dev',
      id: null,
      options: { bootstrapContents: true, tailEvents: 0, labelQuery: [], idQuery: null },
      apiVersion: 1,
    };
    const messages = cluster.stream('10.0.0.21', State.Watch, request as never, 11);
    const events = messages.flatMap(({ event }) => event);
    const mark = events.findIndex(({ eventType }) => eventType === 3);
    expect(mark).toBeGreaterThan(4);
    expect(events.slice(0, mark).map(({ resource }) => resource!.metadata!.id)).toContain('apid');
  });

  it('serves logs, kernel log and events', () => {
    const logs = cluster.stream(
      '10.0.0.10',
      MachineService.Logs,
      LogsRequest.of({ namespace: 'system', id: 'etcd', tailLines: 2 }),
    );
    expect(logs).toHaveLength(2);
    const kmsg = cluster.stream('10.0.0.10', MachineService.Dmesg, { follow: false, tail: false });
    expect(kmsg.map(({ bytes }) => utf8Decode(bytes)).join('')).toContain('phase startEverything (9/9): done');
    const events = cluster.stream('10.0.0.10', MachineService.Events, EventsRequest.of({ tailEvents: -1 }), 40);
    expect(events.map(({ data }) => data?.typeUrl.replace(/.*\//, ''))).toContain('machine.ServiceStateEvent');
  });

  it('starts and stops only services that may be', () => {
    const stop = refusal(() => cluster.api('10.0.0.10', MachineService.ServiceStop, { id: 'etcd' }));
    expect(stop.message).toBe('service "etcd" doesn\'t support stop operation via API');
    const unknown = refusal(() => cluster.api('10.0.0.10', MachineService.ServiceStart, { id: 'nginx' }));
    expect(unknown.message).toContain('service "nginx" not defined');
    const restarted = cluster.api('10.0.0.10', MachineService.ServiceRestart, { id: 'kubelet' });
    expect(restarted.messages[0]!.resp).toBe('Service "kubelet" restarted');
  });
});
