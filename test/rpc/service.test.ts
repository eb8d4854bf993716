import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../src/platform/rpc.ts';
import { int64, string } from '../../src/rpc/fields.ts';
import { message } from '../../src/rpc/message.ts';
import { bidi, immediate, service, serviceHandlers, unary } from '../../src/rpc/service.ts';
import { Duration, microseconds, secondsAndNanos } from '../../src/rpc/well-known.ts';

const Ask = message('test.Ask', { text: string(1) });
const Answer = message('test.Answer', { length: int64(1) });
const Echo = service('test.Echo', { Say: unary(Ask, Answer), Chat: bidi(Ask, Answer) });

describe('service descriptions', () => {
  it('give methods their gRPC path', () => {
    expect([Echo.Say.path, Echo.Say.kind, Echo.Chat.path, Echo.Chat.kind]).toEqual([
      '/test.Echo/Say',
      'unary',
      '/test.Echo/Chat',
      'bidi',
    ]);
  });

  it('bind handlers to methods', () => {
    const entries = serviceHandlers(Echo, {
      *Say(request) {
        return Answer.of({ length: request.text.length });
      },
      *Chat(stream) {
        stream.send(Answer.of({ length: 1 }));
      },
    });
    expect(entries.map((entry) => [entry.method.path, entry.unary !== undefined, entry.stream !== undefined])).toEqual([
      ['/test.Echo/Say', true, false],
      ['/test.Echo/Chat', false, true],
    ]);
    expect(() => serviceHandlers(Echo, { Nope: 1 } as never)).toThrow('no method Nope');
  });

  it('an immediate handler is a task as well', () => {
    const handler = immediate((request: { text: string }) => Answer.of({ length: request.text.length }));
    const step = handler({ text: 'abc' }, {} as CallContext).next();
    expect(step).toEqual({ done: true, value: { length: 3 } });
    expect(handler.immediate({ text: 'ab' }, {} as CallContext)).toEqual({ length: 2 });
  });
});

describe('well-known types', () => {
  it.each([0, 1, -1, 1_800_000_000, -2_500_000, 999_999])('carry %i microseconds', (timeUs) => {
    const duration = Duration.of(secondsAndNanos(timeUs));
    expect(microseconds(Duration.decode(Duration.encode(duration)))).toBe(timeUs);
  });
});
