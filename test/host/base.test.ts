import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { sourceOf } from '../../src/host/containers/images.ts';
import { HostMounts } from '../../src/host/disk/mounts.ts';
import { HostExecutor } from '../../src/host/executor.ts';
import { SelfAddress } from '../../src/host/net/self.ts';
import { hostPlatform } from '../../src/host/platform.ts';
import { createHostRandom } from '../../src/host/random.ts';
import {
  decodeMessage,
  encodeMessage,
  formatTimeout,
  framed,
  headersOf,
  MessageReader,
  metadataOf,
  parseTimeout,
} from '../../src/host/rpc/wire.ts';
import { LineBuffer, LineCutter } from '../../src/platform/lines.ts';
import { eventKind } from '../../src/platform/log.ts';
import { Scope } from '../../src/platform/scope.ts';
import { nothingToCancel, wait } from '../../src/platform/task.ts';
import { onHost } from '../support/on-host.ts';

const directory = mkdtempSync(join(tmpdir(), 'talosim-host-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('executor', () => {
  it('runs what a callback made ready before it returns, first come, first served', () => {
    const executor = new HostExecutor(() => {});
    const scope = new Scope(executor, 'test');
    const order: string[] = [];
    executor.enter(() => {
      for (const name of ['a', 'b']) {
        scope.spawn(name, function* () {
          order.push(name);
          scope.spawn(`${name} child`, function* () {
            order.push(`${name} child`);
          });
        });
      }
      order.push('callback');
    });
    expect(order).toEqual(['callback', 'a', 'b', 'a child', 'b child']);
  });

  it('hands escaped errors on, and drops everything after stop', () => {
    const escaped: unknown[] = [];
    const executor = new HostExecutor((error, path) => escaped.push([path, (error as Error).message]));
    const scope = new Scope(executor, 'test');
    executor.enter(() => {
      scope.spawn('bad', function* () {
        yield* wait<void>((resume) => {
          resume();
          return nothingToCancel;
        });
        throw new Error('task');
      });
      throw new Error('callback');
    });
    executor.stop();
    executor.enter(() => {
      throw new Error('never');
    });
    expect(escaped).toEqual([
      ['callback', 'callback'],
      ['test/bad', 'task'],
    ]);
  });

  it('runs thousands of tasks in one go', () => {
    const executor = new HostExecutor(() => {});
    const scope = new Scope(executor, 'test');
    let sum = 0;
    executor.enter(() => {
      for (let i = 0; i < 5_000; i++) {
        scope.spawn('t', function* () {
          sum += i;
        });
      }
    });
    expect(sum).toBe(12_497_500);
  });
});

describe('random', () => {
  it('stays in range, and a stream is a function of its name', () => {
    const key = new Uint8Array(32).fill(3);
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 2 ** 40 }), (min, span) => {
        fc.pre(Number.isSafeInteger(min + span));
        const value = createHostRandom(key).int(min, min + span);
        expect(value >= min && value <= min + span).toBe(true);
      }),
    );
    const draws = (name: string): number[] => {
      const stream = createHostRandom(key).stream(name);
      return Array.from({ length: 20 }, () => stream.uint32());
    };
    expect(draws('x')).toEqual(draws('x'));
    expect(draws('x')).not.toEqual(draws('y'));
    expect(createHostRandom().uint32()).not.toBe(createHostRandom().uint32());
    const random = createHostRandom(key);
    const hits = Array.from({ length: 4_000 }, () => random.chance(250_000)).filter(Boolean).length;
    expect(Math.abs(hits - 1_000)).toBeLessThan(150);
  });
});

describe('addresses, paths, images, lines', () => {
  it('whatever means this machine becomes its address', () => {
    const self = new SelfAddress('127.0.0.7');
    for (const address of ['0.0.0.0', '127.0.0.1', '::', '::1', 'localhost'])
      expect(self.map(address)).toBe('127.0.0.7');
    expect(self.map('127.0.0.8')).toBe('127.0.0.8');
    expect(self.sourceFor('127.0.0.8')).toBe('127.0.0.7');
    expect(self.sourceFor('::1')).toBe(undefined);
  });

  it('paths stay below their mounts', () => {
    const mounts = new HostMounts([
      { destination: '/', directory: '/layer', readOnly: false },
      { destination: '/var/lib/etcd', directory: '/data/etcd', readOnly: true },
    ]);
    expect(mounts.locate('/var/lib/etcd/member/wal')).toEqual({ real: '/data/etcd/member/wal', readOnly: true });
    expect(mounts.locate('/var/lib/etcd2')).toEqual({ real: '/layer/var/lib/etcd2', readOnly: false });
    expect(mounts.locate('/')).toEqual({ real: '/layer', readOnly: false });
    for (const path of ['etc', '/../etc', '/a/../../b'])
      expect(() => mounts.locate(path)).toThrow('not an absolute path');
  });

  it('an image is found by its whole name, or by the name without its tag', () => {
    const etcd = { kind: 'binary', path: '/usr/bin/etcd' } as const;
    const images = { 'registry:5000/etcd': etcd, 'one:v1': etcd };
    expect(sourceOf(images, 'registry:5000/etcd:v3.6.5')).toBe(etcd);
    expect(sourceOf(images, 'registry:5000/other')).toBe(undefined);
    expect(sourceOf(images, 'one:v2')).toBe(undefined);
  });

  it('output is cut into lines wherever the pipe cut it', () => {
    const lines = new LineBuffer();
    const cutter = new LineCutter((line) => lines.add(line));
    for (const piece of ['one\ntw', 'o\n', '\nthr', 'ee']) cutter.feed(piece);
    cutter.end();
    expect(lines.tail(10)).toEqual(['one', 'two', '', 'three']);
  });

  it('an executable gets real directories for mounted ones', async () => {
    const lines: string[] = [];
    const host = hostPlatform({
      name: 'binary',
      self: '127.0.0.51',
      root: join(directory, 'binary'),
      images: { node: { kind: 'binary', path: process.execPath } },
      log: (line) => lines.push(line),
    });
    const { containers, platform } = host;
    const output = await onHost(host, function* () {
      yield* platform.disk.makeDirectory('/var/lib/etcd');
      yield* containers.pull('node:v20');
      const container = yield* containers.run({
        id: 'etcd',
        namespace: 'system',
        image: 'node:v20',
        args: [
          'node',
          '-p',
          'process.argv.slice(1).concat(process.env.A).join()',
          '--',
          '--data-dir=/data/x',
          '/database',
        ],
        env: { A: 'b' },
        mounts: [{ source: '/var/lib/etcd', destination: '/data' }],
        network: 'host',
      });
      yield* container.wait();
      return container.logTail(10);
    });
    host.stop();
    expect(output).toEqual([`--data-dir=${join(directory, 'binary', 'var/lib/etcd')}/x,/database,b`]);
  });

  it('events are lines of JSON', () => {
    const lines: string[] = [];
    const host = hostPlatform({
      name: 'cp-1',
      self: '127.0.0.52',
      root: join(directory, 'log'),
      log: (line) => lines.push(line),
    });
    host.platform.log.child('etcd').event(eventKind<{ term: number }>('raft.leader'), { term: 3 });
    host.stop();
    expect(JSON.parse(lines[0]!)).toMatchObject({ source: 'cp-1/etcd', kind: 'raft.leader', fields: { term: 3 } });
  });
});

describe('gRPC on the wire', () => {
  it('timeouts take at most eight digits and are never shorter than asked', () => {
    expect([1, 99_999_999, 100_000_000, 3_600_000_000_000].map(formatTimeout)).toEqual([
      '1u',
      '99999999u',
      '100000m',
      '3600000S',
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 15 }), (timeoutUs) => {
        const text = formatTimeout(timeoutUs);
        expect(text.length).toBeLessThanOrEqual(9);
        expect(parseTimeout(text)).toBeGreaterThanOrEqual(timeoutUs);
      }),
    );
    expect([parseTimeout('5S'), parseTimeout('10n'), parseTimeout(undefined), parseTimeout('soon')]).toEqual([
      5_000_000, 1, 0, 0,
    ]);
  });

  it('status messages survive as percent-encoded UTF-8', () => {
    expect(encodeMessage('a % ü\n')).toBe('a %25 %C3%BC%0A');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeMessage(encodeMessage(text))).toBe(text);
      }),
    );
    expect(decodeMessage('100%')).toBe('100%');
  });

  it('messages are found wherever the stream was cut', () => {
    const messages = [new Uint8Array(0), Uint8Array.of(1, 2, 3), new Uint8Array(1_000).fill(7)];
    const wire = Uint8Array.from(messages.flatMap((message) => [...framed(message)]));
    fc.assert(
      fc.property(fc.array(fc.nat(wire.length), { maxLength: 10 }), (cuts) => {
        const seen: Uint8Array[] = [];
        const reader = new MessageReader(1000, (message) => seen.push(Uint8Array.from(message)));
        const points = [...new Set([0, ...cuts, wire.length])].sort((a, b) => a - b);
        for (let i = 1; i < points.length; i++) reader.feed(wire.slice(points[i - 1], points[i]));
        expect(seen).toEqual(messages);
      }),
      { numRuns: 50 },
    );
  });

  it('messages are plain bytes, whatever Node.js hands over', () => {
    const seen: Uint8Array[] = [];
    const wire = Buffer.from([...framed(Uint8Array.of(1, 2)), ...framed(Uint8Array.of(3))]);
    const reader = new MessageReader(1000, (message) => seen.push(message));
    reader.feed(wire.subarray(0, 6));
    reader.feed(wire.subarray(6));
    expect(seen).toEqual([Uint8Array.of(1, 2), Uint8Array.of(3)]);
    expect(seen.some((message) => Buffer.isBuffer(message))).toBe(false);
  });

  it('metadata is what is left without the headers of HTTP and gRPC', () => {
    const headers = headersOf({ token: 't', 'trace-bin': '\u0000\u00ff', ':path': '/x' });
    expect(headers).toEqual({ token: 't', 'trace-bin': 'AP8=' });
    expect(metadataOf({ ...headers, ':path': '/x', 'grpc-timeout': '1S', te: 'trailers' })).toEqual({
      token: 't',
      'trace-bin': '\u0000\u00ff',
    });
  });
});
