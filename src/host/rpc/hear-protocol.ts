import type { Socket } from 'node:net';

/** How HTTP/2 begins; no request of HTTP/1.1 does. */
const PREFACE = 'PRI * HTTP/2';

/** Reads as much of a new socket as tells its protocol, and puts it back. A socket that ends before is destroyed. */
export function hearProtocol(socket: Socket, heard: (protocol: 'http2' | 'other') => void): void {
  const ended = (): void => {
    socket.destroy();
  };
  const listen = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      socket.once('readable', listen);
      return;
    }
    const begin = chunk.toString('latin1', 0, PREFACE.length);
    socket.unshift(chunk);
    if (begin.length < PREFACE.length && PREFACE.startsWith(begin)) {
      socket.once('readable', listen);
      return;
    }
    socket.off('end', ended).off('error', ended);
    heard(begin === PREFACE ? 'http2' : 'other');
  };
  socket.once('end', ended).on('error', ended);
  listen();
}
