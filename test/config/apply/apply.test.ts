/** Applying a config (reference/v1.11.3.md 4.2, 5; lifecycle-api-cli.md, apply-config modes). */
import { describe, expect, test } from 'vitest';
import { configDiff, rebootReason } from '../../../src/config/apply/immediate.ts';
import {
  type ApplyContext,
  type ApplyDecision,
  type ApplyMode,
  type ApplyRefusal,
  planApply,
} from '../../../src/config/apply/plan.ts';
import { type MachineFacts, runtimeValidate } from '../../../src/config/apply/runtime.ts';
import { DEFAULT_VERSION } from '../../../src/config/version.ts';
import { type Json, load, type Section, worker } from '../support.ts';

const FACTS: MachineFacts = { mode: 'cloud', matchingDisks: () => 1, bootedBySdBoot: false, hasIommu: true };

function plan(
  text: string,
  mode: ApplyMode,
  options: { current?: string; dryRun?: boolean; tryTimeoutUs?: number; facts?: Partial<MachineFacts> } = {},
): ApplyDecision | ApplyRefusal {
  const context: ApplyContext = {
    version: DEFAULT_VERSION,
    current: options.current === undefined ? undefined : load(options.current),
    facts: { ...FACTS, ...options.facts },
  };
  return planApply({ text, mode, dryRun: options.dryRun ?? false, tryTimeoutUs: options.tryTimeoutUs ?? 0 }, context);
}

const CURRENT = worker();
const LIVE = worker({ certSANs: ['a'] });
const DEEP = worker({ env: { A: 'b' } });

/** A changed value for each field of the white list and of the rest (4.2). */
const LIVE_FIELDS: Readonly<Record<string, Json>> = {
  acceptedCAs: [{ crt: 'Zm9v' }],
  time: { disabled: true },
  certSANs: ['x'],
  install: { wipe: true },
  network: { hostname: 'x' },
  sysfs: { a: 'b' },
  sysctls: { a: 'b' },
  logging: { destinations: [{ endpoint: 'tcp://a:1', format: 'json_lines' }] },
  controlPlane: { scheduler: { disabled: true } },
  kubelet: { clusterDNS: ['10.0.0.1'] },
  kernel: { modules: [{ name: 'a' }] },
  registries: { mirrors: { a: { endpoints: ['https://b'] } } },
  pods: [{ kind: 'Pod' }],
  seccompProfiles: [{ name: 'a', value: {} }],
  nodeAnnotations: { a: 'b' },
  nodeLabels: { a: 'b' },
  nodeTaints: { a: 'NoSchedule' },
};
const DEEP_FIELDS: Readonly<Record<string, Json>> = {
  type: 'controlplane',
  token: 'x',
  files: [{ content: 'a', path: '/var/a', op: 'create', permissions: 420 }],
  disks: [{ device: '/dev/sdb' }],
  env: { A: 'b' },
  udev: { rules: ['a'] },
  systemDiskEncryption: { state: { provider: 'luks2' } },
  baseRuntimeSpecOverrides: { a: 1 },
  features: { rbac: true },
};

describe('which changes are live (4.2)', () => {
  test.each(Object.keys(LIVE_FIELDS))('machine.%s is', (name) => {
    expect(rebootReason(load(CURRENT), load(worker({ [name]: LIVE_FIELDS[name]! })))).toBeUndefined();
  });

  test.each(Object.keys(DEEP_FIELDS))('machine.%s needs a reboot', (name) => {
    const reason = rebootReason(load(CURRENT), load(worker({ [name]: DEEP_FIELDS[name]! })));
    expect(reason).toMatch(/^this config change can't be applied in immediate mode\ndiff:\n--- a\n\+\+\+ b\n/);
    expect(reason).toContain(name === 'features' ? '+    features:' : name);
  });

  test('the whole cluster section and debug are live, persist is not', () => {
    const changed = (root: Section): string | undefined => rebootReason(load(CURRENT), load(worker({}, {}, root)));
    expect(rebootReason(load(CURRENT), load(worker({}, { clusterName: 'x', etcd: { image: 'y' } })))).toBeUndefined();
    expect(changed({ debug: true })).toBeUndefined();
    expect(changed({ persist: false })).toBeDefined();
  });

  test('some features are live, others not', () => {
    const features = (fields: Section) => load(worker({ features: { rbac: true, ...fields } }));
    const base = features({});
    for (const name of ['kubernetesTalosAPIAccess', 'kubePrism', 'hostDNS']) {
      expect(rebootReason(base, features({ [name]: { enabled: true } }))).toBeUndefined();
    }
    expect(rebootReason(base, features({ nodeAddressSortAlgorithm: 'v2' }))).toBeUndefined();
    for (const name of ['stableHostname', 'apidCheckExtKeyUsage', 'diskQuotaSupport']) {
      expect(rebootReason(base, features({ [name]: true }))).toBeDefined();
    }
  });

  test('side documents are never compared', () => {
    const with_ = load(`${CURRENT}\n---\n{"apiVersion":"v1alpha1","kind":"WatchdogTimerConfig","device":"a"}`);
    expect(rebootReason(load(CURRENT), with_)).toBeUndefined();
    expect(configDiff(load(CURRENT), with_)).toContain('+kind: WatchdogTimerConfig');
  });
});

describe('modes (4.2)', () => {
  test('auto without need of a reboot', () => {
    expect(plan(LIVE, 'auto', { current: CURRENT })).toMatchObject({
      kind: 'apply',
      activate: true,
      persist: true,
      reboot: false,
      responseMode: 'no-reboot',
      details: 'Applied configuration without a reboot',
    });
  });

  test('auto with need of one says why', () => {
    const decision = plan(DEEP, 'auto', { current: CURRENT });
    expect(decision).toMatchObject({
      kind: 'apply',
      activate: false,
      persist: true,
      reboot: true,
      responseMode: 'reboot',
    });
    expect((decision as ApplyDecision).details).toMatch(
      /^Applied configuration with a reboot: this config change can't be/,
    );
  });

  test('reboot reboots whatever changes', () => {
    expect(plan(LIVE, 'reboot', { current: CURRENT })).toMatchObject({
      reboot: true,
      activate: false,
      details: 'Applied configuration with a reboot',
    });
  });

  test.each(['no-reboot', 'try'] as const)('%s refuses what is not live', (mode) => {
    expect(plan(DEEP, mode, { current: CURRENT })).toMatchObject({
      kind: 'refused',
      code: 'InvalidArgument',
      message: expect.stringContaining("can't be applied in immediate mode"),
    });
  });

  test('staged only stores', () => {
    expect(plan(DEEP, 'staged', { current: CURRENT })).toMatchObject({
      activate: false,
      persist: true,
      reboot: false,
      details: 'Staged configuration to be applied after the next reboot',
    });
  });

  test('try is not stored and goes back after a minute, or the time given', () => {
    expect(plan(LIVE, 'try', { current: CURRENT })).toMatchObject({
      activate: true,
      persist: false,
      revertAfterUs: 60_000_000,
      details:
        "Applied configuration without a reboot\nThe config is applied in 'try' mode and will be automatically reverted back in 1m0s",
    });
    expect(plan(LIVE, 'try', { current: CURRENT, tryTimeoutUs: 90_000_000 })).toMatchObject({
      revertAfterUs: 90_000_000,
    });
  });

  test('a dry run changes nothing and shows the difference', () => {
    const decision = plan(LIVE, 'auto', { current: CURRENT, dryRun: true }) as ApplyDecision;
    expect(decision).toMatchObject({ activate: false, persist: false, reboot: false });
    expect(decision.details).toMatch(
      /^Dry run summary:\nApplied configuration without a reboot \(skipped in dry-run\)\.\nConfig diff:\n\n--- a\n\+\+\+ b\n/,
    );
    expect(decision.details).toContain('+        - a\n');
    expect((plan(CURRENT, 'auto', { current: CURRENT, dryRun: true }) as ApplyDecision).details).toContain(
      'No changes.',
    );
    // The reason of a reboot is not appended.
    expect((plan(DEEP, 'auto', { current: CURRENT, dryRun: true }) as ApplyDecision).details).toMatch(
      /^Dry run summary:\nApplied configuration with a reboot \(skipped in dry-run\)\.\n/,
    );
  });
});

describe('refusals', () => {
  test('a text that does not load, with the words of the loader', () => {
    expect(plan('', 'auto', { current: CURRENT })).toMatchObject({
      code: 'InvalidArgument',
      message: 'config not found',
    });
  });

  test('a config without the legacy document', () => {
    const text = '{"apiVersion":"v1alpha1","kind":"WatchdogTimerConfig","device":"a"}';
    expect(plan(text, 'auto', { current: CURRENT })).toMatchObject({
      message:
        "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
    });
  });

  test('a config that does not validate', () => {
    expect(plan(worker({ type: 'x' }), 'auto', { current: CURRENT })).toMatchObject({
      kind: 'refused',
      code: 'InvalidArgument',
    });
  });

  test('a config that does not fit the machine', () => {
    const text = worker({ install: { diskSelector: { model: 'x' } } });
    const facts = { mode: 'metal' as const, matchingDisks: () => 0 };
    expect(plan(text, 'auto', { current: text, facts })).toMatchObject({
      message: expect.stringContaining('no disks matched the expression:'),
    });
  });
});

describe('maintenance (5)', () => {
  test.each(['no-reboot', 'staged'] as const)('%s is not supported', (mode) => {
    expect(plan(CURRENT, mode)).toMatchObject({
      code: 'Unimplemented',
      message: `apply configuration --mode='${mode}' is not supported in maintenance mode`,
    });
  });

  test.each(['auto', 'reboot', 'try'] as const)('%s takes the config and says nothing', (mode) => {
    expect(plan(CURRENT, mode)).toMatchObject({
      kind: 'apply',
      activate: true,
      persist: true,
      details: '',
      responseMode: 'reboot',
    });
  });

  test('errors and the dry run have texts of their own', () => {
    expect(plan('a: [', 'auto')).toMatchObject({
      code: 'Unknown',
      message: expect.stringMatching(/^failed to parse config: /),
    });
    expect(plan(worker({ type: 'x' }), 'auto')).toMatchObject({
      message: expect.stringMatching(/^configuration validation failed: /),
    });
    expect(plan(CURRENT, 'auto', { dryRun: true })).toMatchObject({
      activate: false,
      details: 'Dry run summary:\nNode is running in maintenance mode and does not have a config yet.',
    });
  });
});

describe('checks on the machine (network-config.md E.6; v1.11.3.md 11.4)', () => {
  test('Kubernetes images of another age', () => {
    const config = load(worker({ kubelet: { image: 'ghcr.io/siderolabs/kubelet:v1.20.0' } }));
    expect(runtimeValidate(config, FACTS).error).toContain('too old to be used with Talos 1.11.3');
  });

  test('warnings', () => {
    const rebind =
      '{"apiVersion":"v1alpha1","kind":"PCIDriverRebindConfig","name":"0000:04:00.00","targetDriver":"vfio-pci"}';
    const text = `${worker({ install: { extraKernelArgs: ['a'] } })}\n---\n${rebind}`;
    expect(runtimeValidate(load(text), { ...FACTS, bootedBySdBoot: true, hasIommu: false }).warnings).toEqual([
      'extra kernel arguments are not supported when booting using SDBoot',
      'IOMMU is not enabled, this config change might not have any effect',
    ]);
  });
});
