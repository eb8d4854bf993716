import { NetError, type NetErrorCode } from '../../platform/errors.ts';

const CODES: Readonly<Record<string, NetErrorCode>> = Object.freeze({
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  EADDRINUSE: 'address-in-use',
  EADDRNOTAVAIL: 'address-not-available',
  ENOTFOUND: 'address-not-available',
  EINVAL: 'address-not-available',
  EMSGSIZE: 'message-too-long',
});

/** The port's error for one of Node's sockets. */
export function netError(error: Error): NetError {
  const code = CODES[(error as NodeJS.ErrnoException).code ?? ''];
  return new NetError(code ?? 'reset', error.message);
}
