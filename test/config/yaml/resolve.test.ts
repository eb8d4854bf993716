/** Plain scalars as Go's yaml.v3 resolves them (issue: "Go-style YAML scalars where they differ from YAML 1.2"). */
import { describe, expect, test } from 'vitest';
import { resolvePlain, resolveTagged } from '../../../src/config/yaml/resolve.ts';

const tagOf = (text: string): string => resolvePlain(text).tag;
const valueIn = (text: string): unknown => resolvePlain(text).value;

describe('plain scalars', () => {
  test.each(['yes', 'no', 'on', 'off', 'y', 'n', 'YES', 'Off', 'nUll', 'TrUe'])('%s is text', (text) => {
    expect(tagOf(text)).toBe('str');
  });

  test.each(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'])('%s is a bool', (text) => {
    expect(resolvePlain(text)).toEqual({ tag: 'bool', value: text.toLowerCase() === 'true' });
  });

  test.each(['', '~', 'null', 'Null', 'NULL'])('%j is null', (text) => {
    expect(tagOf(text)).toBe('null');
  });

  test.each([
    ['0', 0],
    ['-17', -17],
    ['+8', 8],
    ['0644', 0o644],
    ['0o644', 0o644],
    ['0O17', 0o17],
    ['0x1F', 31],
    ['0b101', 5],
    ['-0x10', -16],
    ['1_000', 1000],
    ['9007199254740993', 9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('%s is an integer', (text, value) => {
    expect(resolvePlain(text as string)).toEqual({ tag: 'int', value });
  });

  test.each(['0899', '18446744073709551616', '1.5', '1e3', '.5', '-1.', '.inf', '-.INF', '.nan'])(
    '%s is a float',
    (text) => {
      expect(tagOf(text)).toBe('float');
    },
  );

  test('a float keeps its value', () => {
    expect([valueIn('1e3'), valueIn('.5'), valueIn('-1.'), valueIn('0899')]).toEqual([1000, 0.5, -1, 899]);
  });

  test.each(['1:30', '190:20:30', '1.2.3', '10.0.0.1', '0x', '1e', '--1', '1e999', 'v1.11', '.', '+', '-'])(
    '%s is text',
    (text) => {
      expect(tagOf(text)).toBe('str');
    },
  );

  test('dates are timestamps only when the day exists', () => {
    expect(tagOf('2024-02-29')).toBe('timestamp');
    expect(tagOf('2023-02-29')).toBe('str');
    expect(tagOf('2001-12-14t21:59:43.10-05:00')).toBe('timestamp');
    expect(tagOf('2001-12-14 21:59:43')).toBe('timestamp');
  });
});

describe('tagged scalars', () => {
  const tag = (name: string): string => `tag:yaml.org,2002:${name}`;

  test('a tag forces the kind or does not fit', () => {
    expect(resolveTagged(tag('str'), '12')).toEqual({ tag: 'str', value: '12' });
    expect(resolveTagged(tag('int'), '12')).toEqual({ tag: 'int', value: 12 });
    expect(resolveTagged(tag('float'), '12')).toEqual({ tag: 'float', value: 12 });
    expect(resolveTagged(tag('int'), 'x')).toBeUndefined();
    expect(resolveTagged('!own', 'x')).toEqual({ tag: 'custom', value: 'x' });
  });
});
