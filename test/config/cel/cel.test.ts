/** The expressions that select disks and volumes (reference/network-config.md E.2.2, E.4). */
import { describe, expect, test } from 'vitest';
import { booleanProblem } from '../../../src/config/cel/check.ts';
import { diskEnv, volumeEnv } from '../../../src/config/cel/env.ts';
import { celObject, evaluateBoolean } from '../../../src/config/cel/evaluate.ts';
import { globMatch } from '../../../src/config/cel/glob.ts';

const disk = celObject({
  dev_path: '/dev/sda',
  model: 'QEMU HARDDISK',
  size: 100_000_000_000n,
  rotational: false,
  transport: 'sata',
  symlinks: ['/dev/disk/by-id/ata-1'],
});
const is = (source: string): boolean => evaluateBoolean(source, { disk, system_disk: { type: 'bool', value: false } });

describe('type check', () => {
  test.each([
    'true',
    'disk.dev_path == "/dev/sda"',
    "disk.transport == 'nvme' && !system_disk",
    'disk.size > 10u * GiB && disk.size <= 1u * TB',
    'glob("QEMU*", disk.model)',
    '"/dev/x" in disk.symlinks',
    'disk.rotational ? false : true',
    'disk.symlinks.exists(s, s.startsWith("/dev"))',
  ])('%s is a condition', (source) => {
    expect(booleanProblem(source, diskEnv)).toBeUndefined();
  });

  test.each([
    ['disk.size', 'expression output type is uint, expected bool'],
    ['disk.dev_pat == ""', 'undefined field'],
    ['disks.size > 1u', 'undeclared reference to '],
    ['disk.size > "a"', 'found no matching overload'],
    ['disk.size >', 'Syntax error'],
    ['', 'Syntax error'],
    ['(((', 'Syntax error'],
  ])('%s is none', (source, message) => {
    expect(booleanProblem(source, diskEnv)).toContain(message);
  });

  test('volume expressions know volumes', () => {
    expect(booleanProblem('volume.partition_label == "data"', volumeEnv)).toBeUndefined();
    expect(booleanProblem('volume.label == "data"', diskEnv)).toContain('undeclared reference');
  });
});

describe('evaluation', () => {
  test.each([
    ['disk.dev_path == "/dev/sda"', true],
    ['disk.size == 100u * GB', true],
    ['disk.size < 10u * GB || disk.transport == "sata"', true],
    ['!disk.rotational && glob("qemu*", disk.model)', false],
    ['glob("QEMU*", disk.model)', true],
    ['"/dev/disk/by-id/ata-1" in disk.symlinks', true],
    ['system_disk', false],
    ['disk.symlinks.exists(s, s.endsWith("-1"))', true],
  ])('%s is %s', (source, expected) => {
    expect(is(source)).toBe(expected);
  });
});

describe('operators and functions', () => {
  test.each([
    ['1 + 2 * 3 == 7', true],
    ['7 / 2 == 3 && 7 % 2 == 1 && -7 / 2 == -3', true],
    ['2u * KiB == 2048u', true],
    ['1.5 + 0.5 == 2.0 && 3.0 / 2.0 > 1.4', true],
    ['"a" + "b" == "ab" && "a" < "b"', true],
    ['[1, 2] == [1, 2] && 2 in [1, 2]', true],
    ['disk.symlinks[0].contains("ata")', true],
    ['disk.model.matches("^QEMU .*DISK$")', true],
    [
      'disk.symlinks.map(s, s + "!") == ["/dev/disk/by-id/ata-1!"] && size(disk.symlinks.map(s, s == "", s)) == 0',
      true,
    ],
    ['1 / 0 == 1 || true', true],
    ['!(disk.symlinks[9] == "" && false)', true],
    ['[1] + [2] == [1, 2] && {1: 2} == {1: 2} && {1: 2} != {1: 3} && size(b"é") == 2', true],
    ['has(disk.model) && !has(disk.rotational)', true],
    ['{"a": 1}["a"] == 1 && {"a": 1}.a == 1 && "a" in {"a": 1} && {"a": 1}.all(k, k == "a")', true],
    ['matches(disk.model, "QEMU") && dyn(1) == 1 && !!true && --1 == 1', true],
    ['"\\u00e9\\x41\\101" == "éAA" && b"a" + b"b" == b"ab"', true],
    ['size(disk.symlinks) == 1 && disk.model.size() == 13', true],
    ['int(disk.size) > 0 && uint("5") == 5u && double("1.5") == 1.5', true],
    ['string(5) == "5" && bool("true")', true],
    ['null == null', true],
    ['disk.symlinks.all(s, s != "") && disk.symlinks.exists_one(s, true)', true],
    ['size(disk.symlinks.filter(s, s == "")) == 0', true],
    ['disk.rotational ? true : 1 < 2', true],
    ['0x10 == 16 && r"\\d" == "\\\\d"', true],
  ])('%s', (source, expected) => {
    expect(booleanProblem(source, diskEnv)).toBeUndefined();
    expect(is(source)).toBe(expected);
  });

  test.each([
    '1u - 2u == 0u',
    '9223372036854775807 + 1 > 0',
    '1 / 0 == 1',
    '1 % 0 == 1',
    'disk.symlinks[9] == ""',
    'uint("-1") == 1u',
    'disk.model.matches("(")',
  ])('%s fails when it is evaluated', (source) => {
    expect(booleanProblem(source, diskEnv)).toBeUndefined();
    expect(() => is(source)).toThrow();
  });
});

describe('globs', () => {
  test.each([
    ['*', 'anything', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[ab]x', 'bx', true],
    ['[!ab]x', 'bx', false],
    ['WD*SN*', 'WDC WDS SN750', true],
    ['', '', true],
  ])('%s on %s is %s', (pattern, text, expected) => {
    expect(globMatch(pattern, text)).toBe(expected);
  });
});
