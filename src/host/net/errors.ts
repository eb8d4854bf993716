import { NetError, type NetErrorCode } from '../../platform/errors.ts';

interface Known {
  readonly code: NetErrorCode;
  /** As Linux and Go print it. */
  readonly text: string;
}

const KNOWN: Readonly<Record<string, Known>> = Object.freeze({
  ECONNREFUSED: { code: 'refused', text: 'connection refused' },
  EHOSTUNREACH: { code: 'unreachable', text: 'no route to host' },
  ENETUNREACH: { code: 'unreachable', text: 'network is unreachable' },
  EHOSTDOWN: { code: 'unreachable', text: 'host is down' },
  ENETDOWN: { code: 'unreachable', text: 'network is down' },
  ETIMEDOUT: { code: 'timeout', text: 'connection timed out' },
  ECONNRESET: { code: 'reset', text: 'connection reset by peer' },
  EPIPE: { code: 'reset', text: 'broken pipe' },
  ECONNABORTED: { code: 'reset', text: 'software caused connection abort' },
  EADDRINUSE: { code: 'address-in-use', text: 'address already in use' },
  EADDRNOTAVAIL: { code: 'address-not-available', text: 'cannot assign requested address' },
  // A port below 1024 without the privilege for it.
  EACCES: { code: 'address-not-available', text: 'permission denied' },
  EPERM: { code: 'unreachable', text: 'operation not permitted' },
  EINVAL: { code: 'address-not-available', text: 'invalid argument' },
  EMSGSIZE: { code: 'message-too-long', text: 'message too long' },
});

/** The port's error for one of Node's sockets; `doing` is what failed: `listen tcp 0.0.0.0:443: bind`. */
export function netError(error: Error, doing: string): NetError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const known = KNOWN[code];
  return new NetError(known?.code ?? 'reset', `${doing}: ${known?.text ?? error.message}`);
}
