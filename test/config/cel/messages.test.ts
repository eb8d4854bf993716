/** The compiler's own messages: what cel-go v0.26.0 says of each of these, with names as Talos declares them. */
import { describe, expect, test } from 'vitest';
import { booleanProblem } from '../../../src/config/cel/check.ts';
import { diskEnv, linkEnv, memberEnv, volumeEnv } from '../../../src/config/cel/env.ts';

const START =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Places and messages, without the lines that show the place; the long list of what may begin is `START`. */
function problems(source: string): string[] {
  const lines = (booleanProblem(source, diskEnv) ?? '').replaceAll(START, 'START').split('\n');
  return lines.filter((line) => !line.startsWith(' |')).map((line) => line.replace('ERROR: <input>:', ''));
}

describe('what is wrong, all of it, by place', () => {
  test.each<[string, string[]]>([
    ['disk.size > 120', ["1:11: found no matching overload for '_>_' applied to '(uint, int)'"]],
    ['disk.size > 100 * GB', ["1:17: found no matching overload for '_*_' applied to '(int, uint)'"]],
    ['disk.size > 100GB', ["1:16: Syntax error: extraneous input 'GB' expecting <EOF>"]],
    ['disk.size > "100GB"', ["1:11: found no matching overload for '_>_' applied to '(uint, string)'"]],
    [
      'disk.transport = "nvme"',
      [
        "1:16: Syntax error: token recognition error at: '= '",
        `1:18: Syntax error: extraneous input '"nvme"' expecting <EOF>`,
      ],
    ],
    [
      'disk.transport == nvme && disk.foo == 1',
      ["1:19: undeclared reference to 'nvme' (in container '')", "1:31: undefined field 'foo'"],
    ],
    ['disk.transport == "nvme" and disk.rotational', ["1:26: Syntax error: mismatched input 'and' expecting <EOF>"]],
    ['not disk.rotational', ["1:5: Syntax error: mismatched input 'disk' expecting <EOF>"]],
    [
      "disk.transport == 'nvme",
      [
        "1:19: Syntax error: token recognition error at: ''nvme'",
        "1:24: Syntax error: mismatched input '<EOF>' expecting START",
      ],
    ],
    ['disk.dev_path.startsWith(1)', ["1:25: found no matching overload for 'startsWith' applied to 'string.(int)'"]],
    ['disk.model.lowerAscii() == "a"', ["1:22: undeclared reference to 'lowerAscii' (in container '')"]],
    ['glob("a", disk.size)', ["1:5: found no matching overload for 'glob' applied to '(string, uint)'"]],
    [
      'disk.model.exists(s, true)',
      ["1:5: expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)"],
    ],
    ['disk.symlinks.exists(s, s)', ["1:25: expected type 'bool' but found 'string'"]],
    [
      'disk.symlinks.exists_one(s, s)',
      ["1:25: found no matching overload for '_?_:_' applied to '(string, int, int)'"],
    ],
    ['disk.symlinks.exists(1, true)', ['1:22: argument must be a simple name']],
    ['has(disk)', ['1:5: invalid argument to has() macro']],
    ['has(disk.nope)', ["1:4: undefined field 'nope'"]],
    ['(disk.rotational', ["1:17: Syntax error: missing ')' at '<EOF>'"]],
    ['((disk.rotational', ["1:18: Syntax error: mismatched input '<EOF>' expecting ')'"]],
    ['disk.rotational)', ["1:16: Syntax error: extraneous input ')' expecting <EOF>"]],
    ['disk.', ["1:6: Syntax error: no viable alternative at input '.'"]],
    ['disk..size', ["1:6: Syntax error: no viable alternative at input '..'"]],
    ['&& disk.rotational', ["1:1: Syntax error: extraneous input '&&' expecting START"]],
    ['true &&', ["1:8: Syntax error: mismatched input '<EOF>' expecting START"]],
    ['-!true', ["1:2: Syntax error: no viable alternative at input '-!'"]],
    ['[1', ["1:3: Syntax error: mismatched input '<EOF>' expecting {']', ','}"]],
    ['{"a"}', ["1:5: Syntax error: mismatched input '}' expecting ':'"]],
    ['{"a": 1, 1: 2}', ['expression output type is map(dyn, int), expected bool']],
    ['[null, disk]', ['expression output type is list(talos.resource.definitions.block.DiskSpec), expected bool']],
    ['disk.serial == null', ["1:13: found no matching overload for '_==_' applied to '(string, null)'"]],
    ['true || 1', ["1:9: expected type 'bool' but found 'int'"]],
    [
      'foo - "a"',
      [
        "1:1: undeclared reference to 'foo' (in container '')",
        "1:5: found no matching overload for '_-_' applied to '(!error!, string)'",
      ],
    ],
    ['1u * B', ["1:6: undeclared reference to 'B' (in container '')"]],
    ['99999999999999999999 == 1', ['1:1: invalid int literal']],
    ['if', ['1:1: reserved identifier: if']],
    [
      '"\\q" == "a"',
      [
        `1:1: Syntax error: token recognition error at: '"\\q'`,
        "1:10: Syntax error: extraneous input 'a' expecting <EOF>",
        `1:11: Syntax error: token recognition error at: '"'`,
      ],
    ],
    ['.foo', ["1:2: undeclared reference to '.foo' (in container '')"]],
    ['f(1 2)', ["1:5: Syntax error: extraneous input '2' expecting ')'"]],
    [
      'f(1 disk.size)',
      [
        "1:5: Syntax error: mismatched input 'disk' expecting ')'",
        "1:14: Syntax error: extraneous input ')' expecting <EOF>",
      ],
    ],
    ['/dev/sda', ["1:1: Syntax error: extraneous input '/' expecting START"]],
    [
      'disk.size\n> "a"\n&& bar',
      [
        "2:1: found no matching overload for '_>_' applied to '(uint, string)'",
        "3:4: undeclared reference to 'bar' (in container '')",
      ],
    ],
    ['disk.model == "é" && foo', ["1:22: undeclared reference to 'foo' (in container '')"]],
  ])('%s', (source, expected) => {
    expect(problems(source)).toEqual(expected);
  });
});

describe('the lines around it', () => {
  test('each problem with its own line', () => {
    expect(booleanProblem('disk.size\n> "a"\n&& bar', diskEnv)).toBe(
      [
        "ERROR: <input>:2:1: found no matching overload for '_>_' applied to '(uint, string)'",
        ' | > "a"',
        ' | ^',
        "ERROR: <input>:3:4: undeclared reference to 'bar' (in container '')",
        ' | && bar',
        ' | ...^',
      ].join('\n'),
    );
  });

  test('wide characters have wide dots', () => {
    expect(booleanProblem('"é" == disk.foo', diskEnv)?.split('\n')[2]).toBe(' | .．.........^');
  });

  test('nothing has no lines', () => {
    expect(booleanProblem('', diskEnv)).toBe(
      `ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting ${START}`,
    );
  });
});

describe('names', () => {
  test.each([
    'mac(link.permanent_addr) == "00:1a:2b:3c:4d:5e"',
    'glob("00:1a:2b:*", mac(link.permanent_addr)) && link.driver == "e1000"',
    'link.type == 1 && link.mtu > 1500u && link.speed_megabits > 1000 && "eth0" in link.alt_names',
    'link.bond_master.mode == 1',
  ])('of links: %s', (source) => {
    expect(booleanProblem(source, linkEnv)).toBeUndefined();
  });

  test.each([
    ['link.permanent_addr == "a"', "found no matching overload for '_==_' applied to '(bytes, string)'"],
    ['mac(link.driver) == "a"', "found no matching overload for 'mac' applied to '(string)'"],
    ['link.mtu > 1u * KiB', "undeclared reference to 'KiB'"],
    ['disk.size > 1u', "undeclared reference to 'disk'"],
  ])('%s is not of links', (source, message) => {
    expect(booleanProblem(source, linkEnv)).toContain(message);
  });

  test('volumes have no globs; members have their volume', () => {
    expect(booleanProblem('glob("a", volume.label)', volumeEnv)).toContain("undeclared reference to 'glob'");
    expect(booleanProblem('volume_id == "a" && disk.size > 1u * GB', memberEnv)).toBeUndefined();
  });
});

test('long and deep expressions end', () => {
  for (const source of [
    '('.repeat(5_000),
    '!'.repeat(5_000),
    `${'1 + '.repeat(900)}1`,
    '"'.repeat(5_000),
    `a${'.b'.repeat(900)}`,
  ]) {
    expect(booleanProblem(source, diskEnv)).toBeDefined();
  }
});
