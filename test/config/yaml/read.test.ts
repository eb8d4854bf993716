/** Reading YAML text with positions; every refusal stands where the text breaks. */
import { describe, expect, test } from 'vitest';
import { deref, keyText, lookup, type YamlNode } from '../../../src/config/yaml/node.ts';
import { readYaml } from '../../../src/config/yaml/read.ts';

/** Problems as `line:column message`. */
function problems(text: string): string[] {
  const stream = readYaml(text);
  return stream.problems.map(({ offset, message }) => {
    const { line, column } = stream.lines.at(offset);
    return `${line}:${column} ${message}`;
  });
}

const rootOf = (text: string): YamlNode => readYaml(text).documents[0]!.root!;

function textOf(text: string, key: string): unknown {
  const node = deref(lookup(rootOf(text), key)!);
  return node.kind === 'scalar' ? node.value : node.kind;
}

describe('streams', () => {
  test('has a document for each separator that something follows', () => {
    expect(readYaml('a: 1\n---\nb: 2\n').documents).toHaveLength(2);
    expect(readYaml('---\na: 1\n').documents).toHaveLength(1);
    expect(readYaml('a: 1\n...\n').documents).toHaveLength(1);
  });

  test('an empty text has no documents', () => {
    for (const text of ['', '\n\n', '# only a comment\n', '\ufeff']) {
      expect(readYaml(text).documents.filter(({ root }) => root !== undefined)).toEqual([]);
    }
  });

  test('knows lines and columns after multi-byte text and CRLF', () => {
    const stream = readYaml('é: ü\r\nb:\r\n  c: 1\r\n');
    const c = lookup(lookup(stream.documents[0]!.root!, 'b')!, 'c')!;
    expect(stream.lines.at(deref(c).offset)).toEqual({ line: 3, column: 6 });
  });
});

describe('values', () => {
  test('quotes make text', () => {
    expect(textOf('a: "12"', 'a')).toBe('12');
    expect(textOf("a: 'null'", 'a')).toBe('null');
    expect(textOf('a: "x\\ty"', 'a')).toBe('x\ty');
  });

  test('block scalars keep or drop their line ends', () => {
    expect(textOf('a: |\n  x\n  y\n', 'a')).toBe('x\ny\n');
    expect(textOf('a: |-\n  x\n  y\n', 'a')).toBe('x\ny');
    expect(textOf('a: >\n  x\n  y\n', 'a')).toBe('x y\n');
  });

  test('aliases lead to what they name', () => {
    const root = rootOf('a: &x {k: 1}\nb: *x\n');
    expect(deref(lookup(root, 'b')!)).toBe(deref(lookup(root, 'a')!));
  });

  test('keys are texts', () => {
    const root = deref(rootOf('1: a\ntrue: b\n"": c\n'));
    expect(root.kind === 'map' ? root.entries.map(({ key }) => keyText(key)) : []).toEqual(['1', 'true', '']);
  });
});

describe('refusals', () => {
  test('an unknown anchor', () => {
    expect(problems('a: *x\n')).toEqual([expect.stringMatching(/^1:4 unknown anchor 'x' referenced/)]);
  });

  test('a key that stands twice is named with the line of the first', () => {
    const stream = readYaml('a: 1\nb: 2\na: 3\n');
    expect(stream.problems).toHaveLength(1);
    const { offset, related, message } = stream.problems[0]!;
    expect(stream.lines.at(offset).line).toBe(3);
    expect(stream.lines.at(related!).line).toBe(1);
    expect(message).toBe('mapping key "a" already defined');
  });

  test.each([
    ['a tab as indentation', 'a:\n\tb: 1\n', 2],
    ['a quote that never ends', 'a: "x\nb: 1\n', 1],
    ['a list that never ends', 'a: [1, 2\nb: 1\n', 1],
    ['a line of another indentation', 'a:\n    b: 1\n  c: 2\n', 3],
    ['a control character', 'a: 1\nb: \u0001\n', 2],
  ])('%s', (_, text, line) => {
    const found = problems(text);
    expect(found.length).toBeGreaterThan(0);
    expect(Number(found[0]!.split(':')[0])).toBeGreaterThanOrEqual(line);
    expect(Number(found[0]!.split(':')[0])).toBeLessThanOrEqual(line + 2);
  });

  test('aliases that would blow the text up', () => {
    const levels = 'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghij'[index]},`.repeat(9)}]`);
    const text = `a: &a [x,x,x,x,x,x,x,x,x]\n${levels.join('\n')}\n`;
    expect(problems(text)).toEqual([expect.stringContaining('excessive aliasing')]);
  });
});

describe('nesting', () => {
  const rule = '[{'.repeat(300);
  const list = '- '.repeat(500);

  test('is not what comments and scalars hold', () => {
    const text = [
      `# ${rule}`,
      'a: |',
      `  ${rule}`,
      `  ${list}`,
      `b: "${rule}"`,
      `c: '${rule}'`,
      `d: x${rule}`,
      'e: [1, {f: 2}] # [',
    ].join('\n');
    expect(problems(text)).toEqual([]);
    expect(textOf(text, 'b')).toBe(rule);
  });

  test('is refused where it goes too deep, whatever stands between', () => {
    expect(problems(`a: ${'['.repeat(401)}`)).toEqual(['1:403 exceeded max depth']);
    expect(problems(`${list}x`)).toEqual(['1:801 exceeded max depth']);
    const stairs = Array.from({ length: 450 }, (_, at) => {
      const indent = ' '.repeat(at);
      return `${indent}t: |\n${indent}  x\n# y\n${indent}n:`;
    });
    expect(problems(stairs.join('\n'))).toEqual(['1601:401 exceeded max depth']);
  });
});
