import type { Connection, Segment } from '../../platform/net.ts';
import type { PeerIdentity } from '../../platform/rpc.ts';
import type { TaskScope } from '../../platform/task.ts';
import type { HttpHandler, HttpPeer } from './server.ts';
import { HttpServerConnection } from './server-connection.ts';

export interface HttpConnectionsOptions {
  /** Scope that requests are handled in. */
  readonly scope: TaskScope;
  readonly handler: HttpHandler;
  /** Send bytes even where the connection carries objects. */
  readonly alwaysBytes: boolean;
}

/** The connections of an HTTP/1.1 server, wherever they were accepted. */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #open = new Set<HttpServerConnection>();

  constructor(options: HttpConnectionsOptions) {
    this.#options = options;
  }

  /** Serves a connection. `first` is what was already read of it. */
  serve(connection: Connection, first: Segment | undefined, identity: PeerIdentity | undefined): void {
    const peer: HttpPeer = {
      peer: connection.remote,
      local: connection.local,
      ...(identity === undefined ? {} : { identity }),
    };
    const accepted = new HttpServerConnection(connection, {
      peer,
      ...this.#options,
      onClosed: (closed) => this.#open.delete(closed),
    });
    this.#open.add(accepted);
    accepted.start(first);
  }

  close(): void {
    for (const connection of [...this.#open]) connection.close();
  }
}
