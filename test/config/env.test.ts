/** `${NAME}` placeholders: refused by name, or filled from a file (issue: "Others' formats"). */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are what this is about
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { parseEnvFile } from '../../src/config/env.ts';
import { formatConfigError } from '../../src/config/errors.ts';

function load(text: string, env?: Record<string, string>): unknown {
  const result = loadConfig(text, env === undefined ? {} : { env });
  return 'errors' in result ? result.errors.map(formatConfigError) : result.config.documents[0]!.value;
}

describe('without values', () => {
  test('each placeholder is refused where it stands', () => {
    expect(load('machine:\n  token: ${TOKEN}\n  certSANs:\n    - a\n    - ${NAME:-b}\n')).toEqual([
      'config.yaml:2:10: machine.token: placeholder ${TOKEN} has no value (give it with --env-file, or write the value in place of ${TOKEN})',
      'config.yaml:5:7: machine.certSANs[1]: placeholder ${NAME} has no value (give it with --env-file, or write the value in place of ${NAME})',
    ]);
  });

  test('what shells and programs will read is left alone', () => {
    const text =
      'machine:\n  files:\n    - content: echo ${HOME}\n      path: /var/a\n      op: create\n      permissions: 0o644\n';
    expect(load(text)).toMatchObject({ machine: { files: [{ content: 'echo ${HOME}' }] } });
    expect(load('cluster:\n  inlineManifests:\n    - {name: a, contents: "x: ${Y}"}\n')).toBeTypeOf('object');
  });

  test('a dollar sign alone is no placeholder', () => {
    expect(load('machine:\n  token: a$B$$c$(d)${\n')).toEqual({ machine: { token: 'a$B$$c$(d)${' } });
  });
});

describe('with values', () => {
  test('they are filled in before the text is read, so types fit', () => {
    const text =
      'machine:\n  network:\n    interfaces:\n      - interface: ${LINK}\n        mtu: ${MTU}\n        # ${UNSET} in a comment\n';
    expect(load(text, { LINK: 'eth0', MTU: '9000' })).toEqual({
      machine: { network: { interfaces: [{ interface: 'eth0', mtu: 9000 }] } },
    });
  });

  test('a default is used for a name without a value', () => {
    expect(load('machine:\n  token: ${T:-abc}\n', {})).toEqual({ machine: { token: 'abc' } });
  });

  test('names that are missing are reported with line, column and field', () => {
    expect(load('machine:\n  token: a-${T}\n', {})).toEqual([
      'config.yaml:2:12: machine.token: placeholder ${T} has no value (add it to the environment file)',
    ]);
  });

  test('what shells and programs will read may keep names that have no value', () => {
    const text = 'machine: {}\ncluster:\n  inlineManifests:\n    - name: a\n      contents: |\n        ${A} ${B}\n';
    expect(load(text, { A: '1' })).toMatchObject({ cluster: { inlineManifests: [{ contents: '1 ${B}\n' }] } });
  });

  test('a placeholder in a place where it is not even YAML is still named', () => {
    expect(load('machine: {token: ${T}}\n')).toEqual([
      'config.yaml:1:18: placeholder ${T} has no value (give it with --env-file, or write the value in place of ${T})',
    ]);
    expect(load('machine: {token: ${T}}\n', { T: 'x' })).toEqual({ machine: { token: 'x' } });
  });
});

test('environment files', () => {
  const text = '# comment\nA=1\nexport B = two words \nC="q # x"\nD=\'s\'\nE=v # note\n\nnot a line\nF=\n';
  expect({ ...parseEnvFile(text) }).toEqual({ A: '1', B: 'two words', C: 'q # x', D: 's', E: 'v', F: '' });
});
