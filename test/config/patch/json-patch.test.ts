import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PatchError } from '../../../src/config/patch/error.ts';
import { applyJsonPatch } from '../../../src/config/patch/json-patch.ts';
import { jsonOfYaml } from '../../../src/config/patch/json-value.ts';
import { printJsonAsYaml } from '../../../src/config/patch/json-yaml.ts';
import { patch, problem, values } from './helpers.ts';

const CONFIG = 'machine:\n  type: worker\n  certSANs: [a]\ncluster:\n  clusterName: c\n';
const FAILURE = 'failure applying rfc6902 patches to talos machine config: ';

describe('JSON patches (reference/network-config.md E.10 "JSON 6902", F.5.8)', () => {
  it('adds to a list and replaces a value', () => {
    const change =
      '[{"op": "add", "path": "/machine/certSANs/-", "value": "b"}, {"op": "replace", "path": "/machine/type", "value": "controlplane"}]';
    expect(patch(CONFIG, change)).toBe(
      'cluster:\n  clusterName: c\nmachine:\n  certSANs:\n  - a\n  - b\n  type: controlplane\n',
    );
  });

  it('is refused for a stream of documents, with the whole patch list', () => {
    const two = `${CONFIG}---\napiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\n`;
    expect(problem(two, ['machine: {type: controlplane}\n', '- {op: remove, path: /cluster}\n'])).toBe(
      'JSON6902 patches are not supported for multi-document machine configuration',
    );
  });

  it('fails on absent places in the words of the library', () => {
    const fails = (operation: string) => problem(CONFIG, `[${operation}]`);
    expect(fails('{"op": "remove", "path": "/machine/x"}')).toBe(
      `${FAILURE}error in remove for path: '/machine/x': Unable to remove nonexistent key: x: missing value`,
    );
    expect(fails('{"op": "replace", "path": "/machine/x", "value": 1}')).toBe(
      `${FAILURE}replace operation does not apply: doc is missing key: /machine/x: missing value`,
    );
    expect(fails('{"op": "add", "path": "/nope/x", "value": 1}')).toBe(
      `${FAILURE}add operation does not apply: doc is missing path: "/nope/x": missing value`,
    );
    expect(fails('{"op": "test", "path": "/machine/type", "value": "x"}')).toBe(
      `${FAILURE}testing value /machine/type failed: test failed`,
    );
    expect(fails('{"op": "add", "path": "/machine/certSANs/7", "value": "x"}')).toBe(
      `${FAILURE}error in add for path: '/machine/certSANs/7': Unable to access invalid index: 7: invalid index referenced`,
    );
    expect(fails('{"op": "wipe", "path": "/machine"}')).toBe(`${FAILURE}Unexpected kind: wipe`);
  });

  it('works on text: a later strategic patch reads the result again', () => {
    const result = patch(CONFIG, [
      '[{"op": "add", "path": "/machine/network", "value": {"hostname": "h"}}]',
      'machine: {type: controlplane}\n',
    ]);
    expect(values(result)[0]!.value.machine).toEqual({
      type: 'controlplane',
      certSANs: ['a'],
      network: { hostname: 'h' },
    });
    expect(
      problem(CONFIG, ['[{"op": "add", "path": "/machine/bogus", "value": 1}]', 'machine: {type: worker}\n']),
    ).toContain('unknown keys found during decoding');
  });

  it('reads YAML as the older library does: words of YAML 1.1 are booleans, quoted ones are not', () => {
    expect(jsonOfYaml('a: yes\nb: "yes"\nc: 0644\nd: 0o644\n8080: x\n')).toEqual({
      a: true,
      b: 'yes',
      c: 420,
      d: '0o644',
      '8080': 'x',
    });
  });

  it("escapes pointers, counts from the end, moves and copies (RFC 6902 with the library's extensions)", () => {
    const apply = (value: never, operations: object[]) => applyJsonPatch(value, operations as never);
    const start = { 'a/b': 1, 'm~n': 2, list: [1, 2, 3] } as never;
    expect(
      apply(start, [
        { op: 'remove', path: '/a~1b' },
        { op: 'replace', path: '/m~0n', value: 9 },
      ]),
    ).toEqual({ 'm~n': 9, list: [1, 2, 3] });
    expect(apply(start, [{ op: 'add', path: '/list/-1', value: 9 }])).toMatchObject({ list: [1, 2, 3, 9] });
    expect(apply(start, [{ op: 'remove', path: '/list/-3' }])).toMatchObject({ list: [2, 3] });
    expect(apply(start, [{ op: 'move', from: '/list/0', path: '/list/-' }])).toMatchObject({ list: [2, 3, 1] });
    expect(apply(start, [{ op: 'copy', from: '/list', path: '/again' }])).toMatchObject({ again: [1, 2, 3] });
    expect(start).toEqual({ 'a/b': 1, 'm~n': 2, list: [1, 2, 3] });
  });

  it('an operation list either applies or fails with our error; add then remove is identity', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const pointer = fc
      .array(fc.constantFrom('a', 'b', '0', '1', '-', '', 'x'), { maxLength: 4 })
      .map((steps) => steps.map((step) => `/${step}`).join(''));
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'no'),
      path: pointer,
      from: pointer,
      value: json,
    });
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 5 }), (root, operations) => {
        const before = JSON.stringify(root);
        try {
          applyJsonPatch(root as never, operations as never);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect(JSON.stringify(root)).toBe(before);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), json, (root, value) => {
        const key = 'added';
        const after = applyJsonPatch(
          { ...root } as never,
          [
            { op: 'add', path: `/${key}`, value },
            { op: 'remove', path: `/${key}` },
          ] as never,
        );
        const { added: _, ...rest } = root;
        expect(after).toEqual(rest);
      }),
      { numRuns: 200 },
    );
  });

  it('prints YAML that reads back as the same value', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: 'grapheme' }),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.constantFrom('yes', '012', 'a: b', ' x', 'x ', '- y', '#', 'line\nbreak', 'very '.repeat(40)),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (any) => {
        const root = { root: any } as never;
        expect(jsonOfYaml(printJsonAsYaml(root))).toEqual(root);
      }),
      { numRuns: 500 },
    );
  });

  it('folds long lines after column 80', () => {
    const text = printJsonAsYaml({ text: 'word '.repeat(30).trim() } as never);
    expect(text.split('\n').length).toBeGreaterThan(2);
    expect(text.split('\n')[1]).toMatch(/^ {2}word/);
  });
});
