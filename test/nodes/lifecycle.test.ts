import { describe, expect, it } from 'vitest';
import {
  BootstrapRequest,
  RebootMode,
  ResetRequest,
  UpgradeRequest,
  WipeMode,
} from '../../src/api/machine/lifecycle.ts';
import { MachineService } from '../../src/api/machine/services.ts';
import { booted, etcdPhase, machineStatus, phaseEvent, sequenceEvent, vipAcquired } from '../../src/nodes/events.ts';
import { Members } from '../../src/nodes/resources/cluster.ts';
import { MetaKeys } from '../../src/nodes/resources/runtime.ts';
import { MINUTE_US, refusal, SECOND_US, TestCluster } from './cluster.ts';

function clusterOf(controlPlanes: number, seed = 1): TestCluster {
  const cluster = new TestCluster({ controlPlanes, seed });
  cluster.bringUp();
  cluster.advance(10 * SECOND_US);
  return cluster;
}

function memberNames(cluster: TestCluster, address = '10.0.0.10'): readonly string[] {
  const [answer] = cluster.api(address, MachineService.EtcdMemberList, { queryLocal: true }).messages;
  return answer!.members.map(({ hostname }) => hostname).sort();
}

/** Phases of a sequence on a machine, in the order in which they began. */
function phases(cluster: TestCluster, machine: string, sequence: string, fromUs: number): readonly unknown[] {
  return cluster
    .matching(phaseEvent, { sequence, action: 'START' }, machine)
    .filter(({ timeUs }) => timeUs >= fromUs)
    .map(({ fields }) => fields.phase);
}

describe('reset', () => {
  it('leaves etcd and discovery, wipes the disk and comes back without a config', () => {
    const cluster = clusterOf(3);
    const fromUs = cluster.nowUs;
    const request = ResetRequest.of({ graceful: true, reboot: true });
    cluster.api('10.0.0.10', MachineService.Reset, request, { node: '10.0.0.12' });
    cluster.awaitEvent(etcdPhase, { phase: 'left' }, 'cp-3', MINUTE_US, fromUs);
    cluster.awaitEvent(machineStatus, { stage: 'maintenance' }, 'cp-3', 2 * MINUTE_US, fromUs);
    expect(phases(cluster, 'cp-3', 'reset', fromUs)).toEqual([
      'drain',
      'cleanup',
      'dbus',
      'leave',
      'preReset',
      'stopServices',
      'umount',
      'unmountBind',
      'unmountSystem',
      'volumeFinalize',
      'stopEverything',
      'forceCleanup',
      'reset',
      'reboot',
    ]);
    expect(cluster.seen(booted.name, 'cp-3').at(-1)?.fields.disk).toBe('blank');
    expect(memberNames(cluster)).toEqual(['cp-1', 'cp-2']);
    expect(cluster.resources('cp-1', Members).map(({ id }) => id)).toEqual(['cp-1', 'cp-2']);
    cluster.close();
  });

  it('of EPHEMERAL alone keeps the config, and the machine joins again', () => {
    const cluster = clusterOf(3);
    const fromUs = cluster.nowUs;
    const systemPartitionsToWipe = [{ label: 'EPHEMERAL', wipe: true }];
    const request = ResetRequest.of({ graceful: true, reboot: true, systemPartitionsToWipe });
    cluster.api('10.0.0.12', MachineService.Reset, request);
    cluster.awaitEvent(etcdPhase, { phase: 'promoted' }, 'cp-3', 3 * MINUTE_US, fromUs);
    expect(memberNames(cluster)).toEqual(['cp-1', 'cp-2', 'cp-3']);
    cluster.close();
  });

  it('refuses plans that contradict themselves', () => {
    const cluster = clusterOf(1);
    const bothKinds = ResetRequest.of({ mode: WipeMode.SystemDisk, userDisksToWipe: ['/dev/sdb'] });
    expect(refusal(() => cluster.api('10.0.0.10', MachineService.Reset, bothKinds)).message).toBe(
      "reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter",
    );
    const nowhere = ResetRequest.of({ systemPartitionsToWipe: [{ label: 'DATA', wipe: true }] });
    expect(refusal(() => cluster.api('10.0.0.10', MachineService.Reset, nowhere)).message).toBe(
      'failed to reset: volume "DATA" is not located',
    );
    cluster.close();
  });
});

describe('upgrade and rollback', () => {
  const image = 'ghcr.io/siderolabs/installer:v1.11.4';

  it('boots the other slot with etcd kept, and remembers the old one until the machine is ready', () => {
    const cluster = new TestCluster({ controlPlanes: 3, kubernetes: true });
    cluster.bringUp();
    for (const { name } of cluster.machines) {
      cluster.awaitEvent(machineStatus, { stage: 'running', ready: true }, name, 5 * MINUTE_US);
    }
    const fromUs = cluster.nowUs;
    const answer = cluster.api('10.0.0.11', MachineService.Upgrade, UpgradeRequest.of({ image }));
    expect(answer.messages[0]!.ack).toBe('Upgrade request received');
    cluster.awaitEvent(booted, { slot: 'B' }, 'cp-2', 5 * MINUTE_US, fromUs);
    const upgraded = cluster.seen(booted.name, 'cp-2').at(-1)!;
    expect(upgraded.fields.disk).toBe('installed');
    cluster.awaitService('apid', 'cp-2', MINUTE_US);
    expect(cluster.resource('cp-2', MetaKeys, '0x06')?.value).toBe('A');
    cluster.awaitEvent(machineStatus, { stage: 'running', ready: true }, 'cp-2', 5 * MINUTE_US, upgraded.timeUs);
    cluster.advance(SECOND_US);
    expect(cluster.resource('cp-2', MetaKeys, '0x06')).toBeUndefined();
    expect(memberNames(cluster)).toEqual(['cp-1', 'cp-2', 'cp-3']);
    // Cordoned for the drain, uncordoned by itself afterwards.
    expect(phases(cluster, 'cp-2', 'upgrade', fromUs).slice(0, 4)).toEqual([
      'drain',
      'cleanup',
      'dbus',
      'stopServices',
    ]);

    cluster.api('10.0.0.11', MachineService.Rollback, {});
    cluster.awaitEvent(booted, { slot: 'A' }, 'cp-2', 5 * MINUTE_US, upgraded.timeUs);
    cluster.close();
  });

  it('to a release too far away fails after the services were stopped, and the old system comes back', () => {
    const cluster = clusterOf(1);
    const fromUs = cluster.nowUs;
    const far = 'ghcr.io/siderolabs/installer:v1.14.0';
    cluster.api('10.0.0.10', MachineService.Upgrade, UpgradeRequest.of({ image: far, force: true }));
    cluster.awaitEvent(booted, { slot: 'A' }, 'cp-1', 5 * MINUTE_US, fromUs);
    const lines = cluster.seen('node.kmsg', 'cp-1').map(({ fields }) => fields.line as string);
    const text = 'pre-flight checks failed: host version 1.11.3 is too old to upgrade to Talos 1.14.0';
    expect(lines.some((line) => line.includes(text))).toBe(true);
    cluster.awaitService('etcd', 'cp-1', 2 * MINUTE_US);
    cluster.close();
  });

  it('is refused for two members without force', () => {
    const cluster = clusterOf(2);
    const error = refusal(() => cluster.api('10.0.0.10', MachineService.Upgrade, UpgradeRequest.of({ image })));
    expect(error.message).toBe(
      'error validating etcd for upgrade: etcd member count(2) is insufficient to maintain quorum if upgrade commences',
    );
    cluster.close();
  });

  it('reports an image that cannot be had', () => {
    const cluster = clusterOf(1);
    const missing = UpgradeRequest.of({ image: 'ghcr.io/nobody/installer:v9' });
    const error = refusal(() => cluster.api('10.0.0.10', MachineService.Upgrade, missing, { limitUs: 30 * MINUTE_US }));
    expect(error.message).toMatch(/^error validating installer image "ghcr.io\/nobody\/installer:v9": /);
    cluster.close();
  });
});

describe('reboot and shutdown', () => {
  it('reboots in the documented order and rejoins with its data', () => {
    const cluster = clusterOf(3);
    const fromUs = cluster.nowUs;
    cluster.api('10.0.0.11', MachineService.Reboot, { mode: RebootMode.Default });
    cluster.awaitEvent(booted, {}, 'cp-2', 2 * MINUTE_US, fromUs);
    expect(phases(cluster, 'cp-2', 'reboot', fromUs)).toEqual([
      'cleanup',
      'dbus',
      'stopServices',
      'umount',
      'unmountBind',
      'unmountSystem',
      'volumeFinalize',
      'kexec',
      'stopEverything',
      'reboot',
    ]);
    cluster.awaitService('etcd', 'cp-2', 2 * MINUTE_US);
    const again = cluster.matching(etcdPhase, { phase: 'learner-added' }, 'cp-2').filter((e) => e.timeUs > fromUs);
    expect(again).toHaveLength(0);
    cluster.close();
  });

  it('switches off for the API and for the power button', () => {
    const cluster = clusterOf(3);
    cluster.api('10.0.0.12', MachineService.Shutdown, { force: true });
    cluster.until(() => cluster.world.machine('cp-3').kernel === undefined, MINUTE_US, 'cp-3 is off');
    cluster.world.machine('cp-2').pressPowerButton();
    cluster.until(() => cluster.world.machine('cp-2').kernel === undefined, MINUTE_US, 'cp-2 is off');
    cluster.close();
  });
});

describe('a control plane that nobody bootstraps', () => {
  it('gives up on etcd after 30 min, accepts Bootstrap still, and reboots after 70 min otherwise (1a-14)', () => {
    const cluster = new TestCluster({ controlPlanes: 2 });
    cluster.powerOn();
    cluster.install();
    const startUs = cluster.nowUs;
    cluster.advance(32 * MINUTE_US);
    const etcd = (address: string) =>
      cluster.api(address, MachineService.ServiceList, {}).messages[0]!.services.find(({ id }) => id === 'etcd')!;
    expect(etcd('10.0.0.10').state).toBe('Failed');
    expect(etcd('10.0.0.10').events!.events.at(-1)!.msg).toMatch(/^Failed to run pre stage: /);
    cluster.api('10.0.0.10', MachineService.Bootstrap, BootstrapRequest.empty);
    cluster.awaitService('etcd', 'cp-1', MINUTE_US);
    // The other one does not notice: only the end of its boot wait brings it back.
    const rebootUs = cluster.awaitEvent(booted, {}, 'cp-2', 45 * MINUTE_US, startUs);
    expect((rebootUs - startUs) / MINUTE_US).toBeGreaterThan(68);
    expect((rebootUs - startUs) / MINUTE_US).toBeLessThan(72);
    expect(cluster.matching(sequenceEvent, { sequence: 'boot', action: 'NOOP' }, 'cp-2').length).toBeGreaterThan(0);
    cluster.awaitEvent(etcdPhase, { phase: 'promoted' }, 'cp-2', 5 * MINUTE_US, rebootUs);
    cluster.close();
  });
});

describe('a control plane that waits for its cluster', () => {
  it('hangs in `etcd members` while etcd has not started, until the caller gives up (1a-24)', () => {
    const cluster = new TestCluster({ controlPlanes: 1 });
    cluster.powerOn();
    cluster.install();
    const fromUs = cluster.nowUs;
    const members = () => cluster.api('10.0.0.10', MachineService.EtcdMemberList, { queryLocal: true });
    expect(refusal(members).status).toBe('DeadlineExceeded');
    expect((cluster.nowUs - fromUs) / SECOND_US).toBeCloseTo(60, 0);
    cluster.close();
  });
});

describe('two bootstraps', () => {
  it('make two clusters and two owners of the shared address (reference/corrections.md 2d)', () => {
    const cluster = new TestCluster({ controlPlanes: 2 });
    cluster.powerOn();
    cluster.install();
    cluster.bootstrap('cp-1');
    const second = cluster.api('10.0.0.11', MachineService.Bootstrap, BootstrapRequest.empty);
    expect(second.messages).toHaveLength(1);
    for (const name of ['cp-1', 'cp-2']) {
      cluster.awaitService('etcd', name, MINUTE_US);
      cluster.awaitEvent(vipAcquired, { address: '10.0.0.5' }, name, 10 * SECOND_US);
    }
    expect(memberNames(cluster, '10.0.0.10')).toEqual(['cp-1']);
    expect(memberNames(cluster, '10.0.0.11')).toEqual(['cp-2']);
    cluster.close();
  });
});

describe('snapshot and recovery', () => {
  it('bootstraps a lost cluster from the snapshot of the old one', () => {
    const cluster = clusterOf(1);
    const parts = cluster.stream('10.0.0.10', MachineService.EtcdSnapshot, {});
    expect(parts.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeGreaterThan(1000);
    const fromUs = cluster.nowUs;
    const systemPartitionsToWipe = [{ label: 'EPHEMERAL', wipe: true }];
    const request = ResetRequest.of({ graceful: false, reboot: true, systemPartitionsToWipe });
    cluster.api('10.0.0.10', MachineService.Reset, request);
    cluster.awaitEvent(etcdPhase, { phase: 'waiting-to-join' }, 'cp-1', 3 * MINUTE_US, fromUs);
    cluster.upload('10.0.0.10', MachineService.EtcdRecover, parts);
    cluster.api('10.0.0.10', MachineService.Bootstrap, BootstrapRequest.of({ recoverEtcd: true }));
    cluster.awaitService('etcd', 'cp-1', MINUTE_US);
    expect(memberNames(cluster)).toEqual(['cp-1']);
    cluster.close();
  });
});
