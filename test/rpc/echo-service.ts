import type { HandlerEntry } from '../../src/platform/rpc.ts';
import { RpcError } from '../../src/platform/rpc.ts';
import type { Task } from '../../src/platform/task.ts';
import { repeated } from '../../src/rpc/composite-fields.ts';
import { bytes, int64, string } from '../../src/rpc/fields.ts';
import { type MessageOf, message } from '../../src/rpc/message.ts';
import { bidi, clientStream, immediate, serverStream, service, serviceHandlers, unary } from '../../src/rpc/service.ts';

export const Ask = message('test.Ask', { text: string(1), count: int64(2), data: bytes(3) });
export type Ask = MessageOf<typeof Ask>;
export const Answer = message('test.Answer', { text: string(1), seen: repeated(string(2)), data: bytes(3) });
export type Answer = MessageOf<typeof Answer>;

export const Echo = service('test.Echo', {
  Say: unary(Ask, Answer),
  Quick: unary(Ask, Answer),
  Fail: unary(Ask, Answer),
  Never: unary(Ask, Answer),
  Count: serverStream(Ask, Answer),
  Collect: clientStream(Ask, Answer),
  Chat: bidi(Ask, Answer),
  Hang: bidi(Ask, Answer),
});

/** What handlers noticed, for tests to look at. */
export interface EchoLog {
  readonly lines: string[];
}

export function echoHandlers(log: EchoLog, hang: () => Task<never>): HandlerEntry[] {
  return serviceHandlers(Echo, {
    *Say(request, context) {
      return Answer.of({ text: `${context.metadata.greeting ?? 'hello'} ${request.text}`, data: request.data });
    },
    Quick: immediate((request) => {
      if (request.text === 'bad') throw new RpcError('InvalidArgument', 'bad text');
      return Answer.of({ text: request.text });
    }),
    *Fail(request) {
      throw new RpcError('AlreadyExists', `etcd data directory is not empty ${request.text}`, { detail: 'x' });
    },
    *Never() {
      try {
        return yield* hang();
      } finally {
        log.lines.push('Never unwound');
      }
    },
    *Count(stream) {
      const request = yield* stream.receive();
      for (let i = 0; i < request!.count; i++) {
        stream.send(Answer.of({ text: String(i), data: request!.data }));
        yield* stream.drained();
        log.lines.push(`sent ${i}`);
      }
    },
    *Collect(stream) {
      const seen: string[] = [];
      for (;;) {
        const next = yield* stream.receive();
        if (next === undefined) break;
        seen.push(next.text);
      }
      stream.send(Answer.of({ seen }));
    },
    *Chat(stream) {
      for (;;) {
        const next = yield* stream.receive();
        if (next === undefined) return;
        if (next.text === 'fail') throw new RpcError('Aborted', 'as asked');
        stream.send(Answer.of({ text: next.text.toUpperCase() }));
      }
    },
    *Hang(stream) {
      try {
        stream.send(Answer.of({ text: 'here' }));
        yield* hang();
      } finally {
        log.lines.push('Hang unwound');
      }
    },
  });
}
