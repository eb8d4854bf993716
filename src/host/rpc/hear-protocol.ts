import type { Socket } from 'node:net';
import { withPlainAuthority } from './authority.ts';

/** How HTTP/2 begins; no request of HTTP/1.1 does. */
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const HEAD_BYTES = 9;
const HEADERS = 1;
const SETTINGS = 4;
const ACK = 0x1;
const END_HEADERS = 0x4;
const PADDED = 0x8;
const PRIORITY = 0x20;
const PRIORITY_BYTES = 5;
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, SETTINGS, 0, 0, 0, 0, 0]);

/**
 * Reads as much of a new socket as tells its protocol, and puts it back. A client of HTTP/2 is greeted here, and its first
 * call put in order, before Node gets to see it. A socket that ends before is destroyed.
 */
export function hearProtocol(socket: Socket, heard: (protocol: 'http2' | 'other') => void): void {
  let begun: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  const ended = (): void => {
    socket.destroy();
  };
  const hand = (protocol: 'http2' | 'other', bytes: Buffer): void => {
    socket.off('end', ended).off('error', ended).off('readable', listen);
    socket.unshift(bytes);
    heard(protocol);
  };
  const listen = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    begun = Buffer.concat([begun, chunk]);
    const begin = begun.toString('latin1', 0, PREFACE.length);
    if (!PREFACE.startsWith(begin)) {
      hand('other', begun);
      return;
    }
    if (begin.length < PREFACE.length) return;
    if (!isGreeted) socket.write(EMPTY_SETTINGS);
    isGreeted = true;
    const ordered = inOrder(begun);
    if (ordered !== null) hand('http2', ordered);
  };
  socket.on('end', ended).on('error', ended).on('readable', listen);
  listen();
}

/**
 * What a client sent so far without its answer to the greeting, which Node knows nothing of, and with an authority as it
 * should be; null before both the answer and the first call are there.
 */
function inOrder(begun: Buffer): Buffer | null {
  const parts: Uint8Array[] = [begun.subarray(0, PREFACE.length)];
  let answered = false;
  let called = false;
  let at = PREFACE.length;
  while (!(answered && called)) {
    if (begun.length < at + HEAD_BYTES) return null;
    const end = at + HEAD_BYTES + begun.readUIntBE(at, 3);
    if (begun.length < end) return null;
    const frame = begun.subarray(at, end);
    const [type, flags] = [frame[3]!, frame[4]!];
    if (type === SETTINGS && (flags & ACK) !== 0 && !answered) answered = true;
    else if (type === HEADERS && !called) {
      called = true;
      parts.push(...withHeaders(frame, flags));
    } else parts.push(frame);
    at = end;
  }
  return Buffer.concat([...parts, begun.subarray(at)]);
}

function withHeaders(frame: Buffer, flags: number): readonly Uint8Array[] {
  if ((flags & END_HEADERS) === 0 || (flags & PADDED) !== 0) return [frame];
  const from = HEAD_BYTES + ((flags & PRIORITY) === 0 ? 0 : PRIORITY_BYTES);
  const block = withPlainAuthority(frame.subarray(from));
  const head = Buffer.from(frame.subarray(0, from));
  head.writeUIntBE(from - HEAD_BYTES + block.length, 0, 3);
  return [head, block];
}
