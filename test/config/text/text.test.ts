/** Texts in the forms of Go's libraries: durations, sizes, quotes, URLs, addresses, diffs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unifiedDiff } from '../../../src/config/text/diff.ts';
import { formatAddress, formatPrefix, isMasked, parseAddress, parsePrefix } from '../../../src/config/text/ip.ts';
import { endpointProblem, normalizeUrl } from '../../../src/config/text/url.ts';
import {
  formatDuration,
  formatDurationUs,
  parseDuration,
  parseDurationUs,
} from '../../../src/platform/text/duration.ts';
import { formatBytes, parseBytes } from '../../../src/platform/text/humanize.ts';
import { goQuote } from '../../../src/platform/text/quote.ts';
import { formatUrl, parseUrl, urlHostname, urlPort } from '../../../src/platform/text/url.ts';

describe('durations', () => {
  test.each([
    ['0', '0s'],
    ['1.5h', '1h30m0s'],
    ['90s', '1m30s'],
    ['-1m', '-1m0s'],
    ['100ms', '100ms'],
    ['1us', '1µs'],
    ['1µs', '1µs'],
    ['2ns', '2ns'],
    ['1h2m3.004s', '1h2m3.004s'],
    ['+5s', '5s'],
    ['.5s', '500ms'],
  ])('%s is %s', (text, canonical) => {
    const parsed = parseDuration(text);
    expect(typeof parsed === 'bigint' ? formatDuration(parsed) : parsed).toBe(canonical);
  });

  test.each([
    ['', 'time: invalid duration ""'],
    ['5', 'time: missing unit in duration "5"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['abc', 'time: invalid duration "abc"'],
    ['9999999999h', 'time: invalid duration "9999999999h"'],
  ])('%j is refused', (text, message) => {
    expect(parseDuration(text)).toBe(message);
  });

  test('in microseconds, as most of the simulation counts', () => {
    expect(['1h30m', '1m30s', '1.5s', '-250ms', '1500ns', '0'].map(parseDurationUs)).toEqual([
      5_400_000_000, 90_000_000, 1_500_000, -250_000, 2, 0,
    ]);
    expect(parseDurationUs('5')).toBeUndefined();
    expect([3_600_000_000, 60_000_123, 90_000_000, 7].map(formatDurationUs)).toEqual([
      '1h0m0s',
      '1m0.000123s',
      '1m30s',
      '7µs',
    ]);
  });

  test('what is printed is read back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (ns) => {
        expect(parseDuration(formatDuration(ns))).toBe(ns);
      }),
    );
  });
});

describe('sizes', () => {
  test.each([
    ['10GiB', 10n * 1024n ** 3n],
    ['100GB', 100_000_000_000n],
    ['1.5 TB', 1_500_000_000_000n],
    ['1,024', 1024n],
    ['42', 42n],
    ['4k', 4000n],
    ['2Mi', 2n * 1024n ** 2n],
  ])('%s', (text, bytes) => {
    expect(parseBytes(text as string)).toBe(bytes);
  });

  test('wrong ones say why', () => {
    expect(parseBytes('10Quux')).toBe('unhandled size name: quux');
    expect(parseBytes('GB')).toBe('strconv.ParseFloat: parsing "": invalid syntax');
    expect(parseBytes('99EB')).toBe('too large: 99EB');
  });

  test('short decimal forms', () => {
    expect([5n, 100_000_000_000n, 1_500_000_000_000n, 1000n].map(formatBytes)).toEqual([
      '5 B',
      '100 GB',
      '1.5 TB',
      '1.0 kB',
    ]);
    expect([25_690, 12_500, 13_500, 9_960, 999_950, 0].map(formatBytes)).toEqual([
      '26 kB',
      '12 kB',
      '14 kB',
      '10 kB',
      '1000 kB',
      '0 B',
    ]);
  });
});

describe('quotes', () => {
  test.each([
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\n\t\u0001', '"\\n\\t\\x01"'],
    ['é', '"é"'],
    ['\u200b', '"\\u200b"'],
    ['\u{1f600}', '"\u{1f600}"'],
  ])('%j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('addresses', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:DB8::1', '2001:db8::1'],
    ['::', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4'],
  ])('%s is %s', (text, canonical) => {
    const address = parseAddress(text);
    expect(address === undefined ? undefined : formatAddress(address)).toBe(canonical);
  });

  test.each(['', '1.2.3', '1.2.3.4.5', '256.0.0.1', '01.2.3.4', ':::', '1::2::3', 'a', '1.2.3.4/8', '12345::'])(
    '%j is none',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );

  test('prefixes keep their host bits', () => {
    const prefix = parsePrefix('10.1.2.3/8')!;
    expect(formatPrefix(prefix)).toBe('10.1.2.3/8');
    expect([isMasked(prefix), isMasked(parsePrefix('10.0.0.0/8')!)]).toEqual([false, true]);
    expect(['10.0.0.0/33', '10.0.0.0', '::/129', '10.0.0.0/08', '10.0.0.0/-1'].map(parsePrefix)).toEqual(
      Array(5).fill(undefined),
    );
  });
});

describe('URLs', () => {
  test.each([
    ['https://a.example:6443', 'a.example', '6443'],
    ['https://[fd00::1]:6443/p?q#f', 'fd00::1', '6443'],
    ['tcp://10.0.0.1:514', '10.0.0.1', '514'],
    ['https://a', 'a', ''],
  ])('%s', (text, host, port) => {
    const url = parseUrl(text);
    if (typeof url === 'string') {
      throw new Error(url);
    }
    expect([urlHostname(url), urlPort(url), formatUrl(url)]).toEqual([host, port, text]);
  });

  test.each([
    ['https://a b', 'parse "https://a b": invalid character " " in host name'],
    ['://a', 'parse "://a": missing protocol scheme'],
    ['https://a:x', 'parse "https://a:x": invalid port ":x" after host'],
    ['https://%zz', 'parse "https://%zz": invalid URL escape "%zz"'],
    ['a\u0001b', 'parse "a\\x01b": net/url: invalid control character in URL'],
  ])('%j is refused', (text, message) => {
    expect(parseUrl(text)).toBe(message);
  });

  test('a scheme is lower-cased', () => {
    expect(normalizeUrl('HTTPS://A:6443')).toEqual({ value: 'https://A:6443' });
  });

  test('an endpoint needs scheme and host', () => {
    expect(endpointProblem('https://a:6443')).toBeUndefined();
    expect(endpointProblem('a')).toBeDefined();
  });
});

describe('diffs', () => {
  test('equal texts have none', () => {
    expect(unifiedDiff('a\n', 'a\n')).toBe('');
  });

  test('a change with its context', () => {
    const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
    expect(unifiedDiff(before, before.replace('5', 'five'))).toBe(
      '--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    );
  });

  test('from nothing', () => {
    expect(unifiedDiff('', 'a\n')).toBe('--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n');
  });

  test('applying a diff gives the second text', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applied(before, unifiedDiff(before, after))).toBe(after);
      }),
    );
  });
});

/** Applies a unified diff. */
function applied(before: string, diff: string): string {
  const source = before.split('\n').slice(0, -1);
  const out: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const header = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      out.push(...source.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) {
      out.push(line.slice(1));
    } else {
      expect(source[at]).toBe(line.slice(1));
      at += 1;
      if (line.startsWith(' ')) {
        out.push(line.slice(1));
      }
    }
  }
  return [...out, ...source.slice(at)].map((line) => `${line}\n`).join('');
}
