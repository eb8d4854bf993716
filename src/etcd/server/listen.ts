import { NetError } from '../../platform/errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Rpc, RpcServer, ServeOptions, TlsServer } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { type HttpHandler, type HttpServer, serveHttp } from '../../rpc/http/server.ts';
import type { EtcdUrl } from './config/urls.ts';
import { StartError } from './start/errors.ts';

const MAX_PORT = 65_535;

/** A port's TLS. */
export interface SecuredPort {
  readonly tls: TlsServer;
  readonly reloadTls: () => Task<TlsServer>;
}

/** TLS of a port that reads its files before each handshake; a file that cannot be read then leaves the last ones in use. */
export function* secured(read: () => Task<TlsServer | undefined>): Task<SecuredPort | undefined> {
  let last = yield* read();
  if (last === undefined) return undefined;
  return {
    tls: last,
    *reloadTls() {
      try {
        last = (yield* read()) ?? last;
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
      }
      return last!;
    },
  };
}

/** Serves calls on each URL, of at most so many bytes each. Throws StartError. */
export function* listenRpc(
  rpc: Rpc,
  urls: readonly EtcdUrl[],
  service: Pick<ServeOptions, 'handlers' | 'maxReceiveBytes' | 'otherwise' | 'held'>,
  tls: SecuredPort | undefined,
): Task<RpcServer[]> {
  const servers: RpcServer[] = [];
  for (const url of urls) {
    const secure = url.scheme === 'https' ? tls : undefined;
    servers.push(yield* bound(url, rpc.serve({ address: bindAddress(url), port: url.port, ...service, ...secure })));
  }
  return servers;
}

/** Serves health and metrics on each URL. Throws StartError. */
export function* listenHttp(
  platform: Platform,
  urls: readonly EtcdUrl[],
  handler: HttpHandler,
  tls: SecuredPort | undefined,
): Task<readonly HttpServer[]> {
  const servers: HttpServer[] = [];
  for (const url of urls) {
    const secure = url.scheme === 'https' && tls !== undefined ? { tls: yield* tls.reloadTls() } : {};
    servers.push(
      yield* bound(url, serveHttp(platform, { address: bindAddress(url), port: url.port, handler, ...secure })),
    );
  }
  return servers;
}

function bindAddress(url: EtcdUrl): string {
  return url.host === 'localhost' ? '127.0.0.1' : url.host === '' ? '0.0.0.0' : url.host;
}

/** The error of a port that cannot be had tells by itself where it was to be. */
function* bound<T>(url: EtcdUrl, task: Task<T>): Task<T> {
  if (url.port > MAX_PORT) throw new StartError(`listen tcp: address ${url.port}: invalid port`);
  try {
    return yield* task;
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    throw new StartError(error.message);
  }
}
