import { describe, expect, it } from 'vitest';
import { applyPatches } from '../../../src/config/patch/apply.ts';
import { PatchError } from '../../../src/config/patch/error.ts';
import { loadPatches, parsePatch } from '../../../src/config/patch/load.ts';
import { MAIN, V11 } from './helpers.ts';

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return 'no problem';
}

const files: Record<string, string> = {
  'a.yaml': 'machine: {type: worker}\n',
  'ops.json': '[{"op": "remove", "path": "/machine/type"}]',
};

function read(path: string): string {
  const text = files[path];
  if (text === undefined) throw new PatchError(`open ${path}: no such file or directory`);
  return text;
}

describe('kinds of patches (reference/network-config.md E.10 "Loading patches")', () => {
  const type = (text: string, minor = V11) => parsePatch(text, { minor }).type;

  it('takes what the config loader reads for a strategic patch, also JSON objects', () => {
    expect(type('machine: {type: worker}')).toBe('strategic');
    expect(type('{"machine": {"type": "worker"}}')).toBe('strategic');
    expect(type('{apiVersion: v1alpha1, kind: WatchdogTimerConfig, $patch: delete}')).toBe('strategic');
  });

  it('takes a list of operations in JSON or YAML for a JSON patch', () => {
    expect(type('[{"op": "remove", "path": "/x"}]')).toBe('json');
    expect(type('- op: remove\n  path: /x\n')).toBe('json');
    expect(type('[]')).toBe('json');
  });

  it('complains about JSON when the text starts as a list, else as the config loader does', () => {
    const problem = (text: string, minor = V11) => message(() => parsePatch(text, { minor }));
    expect(problem('[oops')).toBe("invalid character 'o' looking for beginning of value");
    expect(problem('machine: {bogus: 1}')).toContain('unknown keys found during decoding');
    expect(problem('')).toBe('config not found');
    expect(problem('', MAIN)).toBe('no configuration documents');
    expect(problem('# nothing\n')).toBe('config not found');
  });
});

describe('values of --config-patch (reference/network-config.md E.10; v1.11.3.md 11.5)', () => {
  const types = (values: string[], minor = V11) => loadPatches(values, read, { minor }).map((patch) => patch.type);

  it('@ names a file', () => {
    expect(types(['@a.yaml'])).toEqual(['strategic']);
    expect(types(['@ops.json'])).toEqual(['json']);
    expect(message(() => types(['@none.yaml']))).toBe('open none.yaml: no such file or directory');
  });

  it('a value without blanks that does not start as JSON names a file from v1.12 on', () => {
    expect(types(['a.yaml'], 12)).toEqual(['strategic']);
    expect(message(() => types(['none.yaml'], 12))).toBe('open none.yaml: no such file or directory');
    expect(message(() => types(['a.yaml'], V11))).not.toContain('open ');
    expect(types(['{"machine":{"type":"worker"}}'], 12)).toEqual(['strategic']);
  });

  it('joins JSON patches that follow each other, so that they pass through text once', () => {
    const [op, other] = ['[{"op": "test", "path": "", "value": 1}]', '- {op: remove, path: /x}'];
    const patches = loadPatches([op, other, '@a.yaml', op], read, { minor: V11 });
    expect(patches.map((patch) => patch.type)).toEqual(['json', 'strategic', 'json']);
    expect(patches[0]).toMatchObject({ operations: [{ op: 'test' }, { op: 'remove' }] });
  });

  it('applies in the order given', () => {
    const patches = loadPatches(['{"machine": {"type": "controlplane"}}', '@a.yaml'], read, { minor: V11 });
    expect(applyPatches('machine: {token: a}\n', patches, { minor: V11 })).toContain('type: worker');
  });
});
