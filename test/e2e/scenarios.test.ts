import { describe, expect, it } from 'vitest';
import { type Milestone, MilestoneRecorder } from '../../src/lab/engine/milestones.ts';
import { run, seeds } from './run.ts';

const SECOND_US = 1_000_000;

describe('bring-up', () => {
  const { result, transcript } = run('bring-up');

  it('passes: one etcd of three voters, five Nodes Ready', () => {
    expect(result.reasons).toEqual([]);
    expect(result.outcome).toBe('passed');
    expect(result.view.kubernetes.nodes).toHaveLength(5);
    expect(result.view.machines.map((machine) => machine.stage)).toEqual(Array(5).fill('running'));
  });

  it('prints members as talosctl does', () => {
    expect(transcript).toContain(
      'NODE        NAMESPACE   TYPE     ID         VERSION   HOSTNAME   MACHINE TYPE   OS                ADDRESSES\n10.0.0.10   cluster     Member   cp-1 ',
    );
    expect(transcript).toContain('controlplane   Talos (v1.11.3)   ["10.0.0.5","10.0.0.10"]');
    expect(transcript).toMatch(/worker-1 +\d+ +worker-1 +worker +Talos \(v1\.11\.3\) +\["10\.0\.0\.21"\]/);
  });

  it('prints etcd members and Nodes in the columns of the real tools', () => {
    expect(transcript).toMatch(
      /NODE +ID +HOSTNAME +PEER URLS +CLIENT URLS +LEARNER\n10\.0\.0\.10 +[0-9a-f]{16} +cp-\d/,
    );
    expect(transcript).toMatch(/NAME +STATUS +ROLES +AGE +VERSION\ncp-1 +Ready +control-plane +\d+\w+ +v1\.34\.1/);
    expect(transcript).toContain('waiting for etcd to be healthy: OK');
    expect(transcript).toContain('waiting for all k8s nodes to report schedulable: OK');
    expect(transcript).toMatch(/can't find expected node with IPs \["10\.0\.0\.\d+"\]/);
  });

  it('gives another run for another seed, the same for the same', () => {
    const digests = seeds(3).map((seed) => run('bring-up', { seed }).result.digest);
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests[0]).toBe(result.digest);
  });
});

describe('milestones of a bring-up', () => {
  it.each(seeds(3))('lie in the ranges of the reference, seed %i', (seed) => {
    const recorder = new MilestoneRecorder(5);
    run('bring-up', { seed, watch: { onEvent: (event) => recorder.take(event) } });
    const at = (milestone: Milestone): number => recorder.atUs.get(milestone)! / SECOND_US;
    const bootstrap = at('bootstrap');
    // Timeline b, rows 4 and 5: the first probe 5 s after etcd runs; the address is taken at once.
    expect(at('first-member-healthy') - bootstrap).toBeGreaterThan(5);
    expect(at('first-member-healthy') - bootstrap).toBeLessThan(28);
    expect(at('vip-taken') - at('first-member-healthy')).toBeLessThan(1);
    // Row 7: the API server answers 10 to 40 s after the bootstrap, and a pull.
    expect(at('first-apiserver') - bootstrap).toBeGreaterThan(10);
    expect(at('first-apiserver') - bootstrap).toBeLessThan(70);
    // Row 8: KubePrism needs up to three probes of 20 s.
    expect(at('kubeprism-usable') - at('first-apiserver')).toBeLessThan(61);
    // Timeline c: both branches, without a pull.
    expect(at('first-promotion') - bootstrap).toBeGreaterThan(4);
    expect(at('second-promotion') - bootstrap).toBeLessThan(120);
    expect(at('all-nodes-ready') - bootstrap).toBeLessThan(240);
  });
});

describe('the mistake of bootstrapping twice', () => {
  it.each(seeds(3))('gives two births, two owners of the address, and a report that explains it, seed %i', (seed) => {
    const { result } = run('bring-up', { seed, mistake: 'bootstrap-twice' });
    expect(result.reasons).toEqual([]);
    expect(result.view.etcd.clusters.map((cluster) => cluster.birth.machine).sort()).toEqual(['cp-1', 'cp-2']);
    expect([...new Set(result.violations.map((violation) => violation.guarantee))].sort()).toEqual([
      'one-etcd-birth',
      'vip-one-owner',
    ]);
    expect(result.view.vip?.owners).toEqual(['cp-1', 'cp-2']);
    expect(result.story.join('\n')).toContain('reset --graceful=false --system-labels-to-wipe EPHEMERAL --reboot');
  });
});

describe('other mistakes of a bring-up', () => {
  it.each(['bootstrap-worker', 'bootstrap-before-config'])('%s is refused and harms nothing', (mistake) => {
    expect(run('bring-up', { mistake }).result.reasons).toEqual([]);
  });
});

describe('scenarios', () => {
  it.each(['bootstrap-too-late', 'quorum-loss', 'even-members', 'vip-failover', 'kubeprism', 'endpoint-is-one-node'])(
    '%s passes',
    (name) => {
      expect(run(name).result.reasons).toEqual([]);
    },
  );

  it('vip-failover: without quorum the address does not move', () => {
    const { result } = run('vip-failover', { mistake: 'without-quorum' });
    expect(result.reasons).toEqual([]);
    expect(result.view.vip?.owners).toEqual([]);
  });
});

describe('determinism', () => {
  it('bring-up has the same full digest again and over strict wire', () => {
    const digest = run('bring-up', { digest: 'full' }).result.digest;
    expect(run('bring-up', { digest: 'full' }).result.digest).toBe(digest);
    expect(run('bring-up', { digest: 'full', strictWire: true }).result.digest).toBe(digest);
  });
});
