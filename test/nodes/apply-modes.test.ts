/** What applying a config to a running machine does, by mode (reference/v1.11.3.md 4.2; lifecycle-api-cli.md A.8). */
import { describe, expect, it } from 'vitest';
import { configApplied } from '../../src/nodes/events.ts';
import { sharedCluster } from '../promises/cluster.ts';

const cluster = sharedCluster({ through: 'waiting' });
const NODE = '10.0.0.10';

/** The server that the active config names, or none. */
function activeServer(): string {
  const config = cluster.ok(`talosctl -n ${NODE} get mc v1alpha1 -o yaml`);
  return /servers:\n\s+- (\S+)/.exec(config)?.[1] ?? '';
}

/** Applies the machine's config with another time server, or another change. */
function apply(flags: string, patch: object) {
  cluster.write('change.yaml', JSON.stringify({ machine: patch }));
  return cluster.type(
    `talosctl -n ${NODE} apply-config -f controlplane.yaml -p @patches/cp-1.yaml -p @change.yaml ${flags}`,
  );
}

const timeServer = (name: string) => ({ time: { servers: [name] } });

describe('applying a config', () => {
  it('dry run: tells what would happen with a diff, and changes nothing', () => {
    const { exitCode, stderr } = apply('--dry-run', timeServer('dry.lan'));
    expect(exitCode).toBe(0);
    expect(stderr).toContain('Dry run summary:\nApplied configuration without a reboot (skipped in dry-run).\n');
    expect(stderr).toMatch(/\n\+ +- dry\.lan\n/);
    expect(activeServer()).toBe('');
    const { stderr: same } = apply('--dry-run', {});
    expect(same).toContain('No changes.');
  });

  it('try: in force until the timeout, then reverted; what is stored stays', () => {
    const { stderr } = apply('--mode try --timeout 30s', timeServer('tried.lan'));
    expect(stderr).toContain("The config is applied in 'try' mode and will be automatically reverted back in 30s");
    expect(activeServer()).toBe('tried.lan');
    cluster.advance('25s');
    expect(activeServer()).toBe('tried.lan');
    cluster.advance('10s');
    expect(activeServer()).toBe('');
    expect(cluster.seen(configApplied, 'cp-1').at(-1)!.fields.source).toBe('revert');
  });

  it('try: any other request ends the trial before it is checked, also one that is refused', () => {
    apply('--mode try --timeout 30s', timeServer('tried.lan'));
    const refused = apply('--mode no-reboot', { ...timeServer('tried.lan'), env: { A: 'b' } });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toMatch(/this config change can't be applied in immediate mode\ndiff:\n/);
    cluster.advance('40s');
    expect(activeServer()).toBe('tried.lan');
  });

  it('try: a second trial replaces the first one with its time', () => {
    apply('', timeServer('base.lan'));
    apply('--mode try --timeout 30s', timeServer('first.lan'));
    cluster.advance('20s');
    apply('--mode try --timeout 30s', timeServer('second.lan'));
    cluster.advance('20s');
    expect(activeServer()).toBe('second.lan');
    cluster.advance('15s');
    expect(activeServer()).toBe('first.lan');
    cluster.advance('60s');
    expect(activeServer()).toBe('first.lan');
  });

  it('staged: stored for the next boot, not in force', () => {
    const { stderr } = apply('--mode staged', timeServer('staged.lan'));
    expect(stderr).toContain('Staged configuration to be applied after the next reboot');
    expect(activeServer()).toBe('first.lan');
  });

  it('auto: a change that is not live reboots, and what was staged or applied is in force afterwards', () => {
    const { exitCode, stderr } = apply('', { ...timeServer('auto.lan'), env: { A: 'b' } });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      "Applied configuration with a reboot: this config change can't be applied in immediate mode",
    );
    cluster.until(`talosctl -n ${NODE} get mc v1alpha1 -o yaml`, 'auto.lan');
    expect(cluster.seen(configApplied, 'cp-1').at(-1)!.fields.source).toBe('disk');
  });
});
