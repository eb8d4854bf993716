/** `talosctl validate` from the text of a file (reference/lifecycle-api-cli.md F.4; v1.11.3.md 11.4, network-config.md E.7). */
import { describe, expect, test } from 'vitest';
import { runValidate, type ValidateCommand } from '../../../src/config/validate/command.ts';
import { kubernetesProblems } from '../../../src/config/validate/kubernetes.ts';
import { parseVersion } from '../../../src/config/version.ts';
import { controlPlane, load, worker } from '../support.ts';

const run = (text: string, options: Partial<ValidateCommand> = {}) =>
  runValidate({ file: 'c.yaml', text, mode: 'cloud', places: false, ...options });

describe('output', () => {
  test('a valid file', () => {
    expect(run(worker())).toEqual({ stdout: 'c.yaml is valid for cloud mode\n', stderr: '', exitCode: 0 });
  });

  test('warnings go to standard error and do not fail', () => {
    const result = run(worker({ type: '' }));
    expect(result).toMatchObject({ exitCode: 0, stdout: 'c.yaml is valid for cloud mode\n' });
    expect(result.stderr).toMatch(/^WARNING: use "worker" instead of "" for machine type\n$/);
  });

  test('strict makes them errors', () => {
    const result = run(worker({ type: '' }), { strict: true });
    expect(result).toEqual({
      stdout: '',
      stderr:
        '1 error occurred:\n\t* v1alpha1.Config: 1 error occurred:\n\t* warning: use "worker" instead of "" for machine type\n\n\n\n\n',
      exitCode: 1,
    });
  });

  test('several errors nest as the real tool nests them', () => {
    const text = `${worker({ ca: null })}\n---\n{"apiVersion":"v1alpha1","kind":"WatchdogTimerConfig"}`;
    expect(run(text, { mode: 'metal' }).stderr).toBe(
      '2 errors occurred:\n\t* v1alpha1.Config: 2 errors occurred:\n\t* install instructions are required in "metal" mode\n' +
        '\t* issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)\n\n\n' +
        '\t* WatchdogTimerConfig: watchdog device: empty value\n\n\n',
    );
  });

  test('places follow on request, with file, line, column and path', () => {
    const text =
      'machine:\n  type: worker\n  ca: {crt: Zm9v}\n  network:\n    interfaces:\n      - interface: ""\ncluster:\n  controlPlane:\n    endpoint: https://a:6443\n';
    const lines = run(text, { places: true }).stderr.trimEnd().split('\n');
    expect(lines.at(-1)).toMatch(/^c\.yaml:6:9: machine\.network\.interfaces\[0\]/);
  });

  test('a text that does not load', () => {
    expect(run('machine: []\n')).toMatchObject({
      exitCode: 1,
      stderr:
        'error decoding  to *v1alpha1.Config: yaml: unmarshal errors:\n  line 1: cannot unmarshal !!seq into v1alpha1.MachineConfig\n',
    });
    expect(run('').stderr).toBe('config not found\n');
  });

  test('an unknown mode', () => {
    expect(run(worker(), { mode: 'moon' })).toEqual({
      stdout: '',
      stderr: 'unknown runtime mode: "moon"\n',
      exitCode: 1,
    });
  });
});

describe('Kubernetes images against the release, on the node only (E.7; v1.11.3.md 1, 11.4)', () => {
  const problems = (image: string, version = 'v1.11.3'): string[] => {
    const config = load(controlPlane({}, { apiServer: { image } }), version);
    return kubernetesProblems(config.documents[0]!.value, parseVersion(version)!);
  };

  test.each(['1.29.0', '1.34.1', '1.34.98', '1.34.0-rc.1'])('%s is accepted by v1.11', (version) => {
    expect(problems(`registry.k8s.io/kube-apiserver:v${version}`)).toEqual([]);
  });

  test.each(['1.28.9', '1.34.99', '1.35.0'])('%s is not', (version) => {
    expect(problems(`registry.k8s.io/kube-apiserver:v${version}`)).toHaveLength(1);
  });

  test('an image without a version is refused, an absent one is not', () => {
    expect(problems('example.org/kube-apiserver@sha256:00')).toEqual([
      expect.stringMatching(
        /^kube-apiserver image is not valid: failed to parse Kubernetes version from image reference/,
      ),
    ]);
    expect(problems('')).toEqual([]);
  });

  test('the command does not look at them', () => {
    expect(run(controlPlane({}, { apiServer: { image: 'registry.k8s.io/kube-apiserver:v1.20.0' } })).exitCode).toBe(0);
  });
});
