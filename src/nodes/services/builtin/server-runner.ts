import type { ResourceKind } from '../../../cosi/index.ts';
import { NetError } from '../../../platform/errors.ts';
import type { RpcServer, TlsServer } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { NodeError } from '../../errors.ts';
import type { Machine } from '../../machine.ts';
import type { Report, Runner } from '../runner.ts';
import { taskRunner } from '../runner.ts';
import { startDelay } from './plain.ts';

export interface ServerOptions {
  serve(): Task<RpcServer>;
  /** Kind whose changes mean a new certificate. */
  readonly certificates: ResourceKind<unknown>;
  tls(): TlsServer;
}

/** A server that runs as a container on a real machine and within machined here. */
export function serverRunner(machine: Machine, id: string, options: ServerOptions): Runner {
  const name = `Containerd(${id})`;
  return {
    name,
    run: (report: Report, stop) => {
      const pid = machine.nextPid();
      let server: RpcServer | undefined;
      return taskRunner({
        name,
        started: `Started task ${id} (PID ${pid}) for container ${id}`,
        stopping: `Sending SIGTERM to task ${id} (PID ${pid}, container ${id})`,
        *start() {
          yield* startDelay(machine, id);
          server = yield* listen(id, options);
        },
        body: () => followCertificates(machine, options, server!),
        *shutDown() {
          // What it still has to say to its callers goes out before it is gone.
          yield* machine.platform.clock.sleep(machine.draw(`stop/${id}`, machine.profile.timings.serverStop));
          server?.close();
        },
      }).run(report, stop);
    },
  };
}

function* listen(id: string, options: ServerOptions): Task<RpcServer> {
  try {
    return yield* options.serve();
  } catch (error) {
    if (error instanceof NetError) throw new NodeError(`task "${id}" failed: ${error.message}`);
    throw error;
  }
}

/** Connections made from now on get the certificate that is there then. */
function* followCertificates(machine: Machine, options: ServerOptions, server: RpcServer): Task<void> {
  const collection = machine.state.collection(options.certificates.namespace, options.certificates.type);
  for (;;) {
    const seen = collection.changed.version;
    if (collection.list().length > 0) server.setTls(options.tls());
    yield* collection.changed.changed(seen);
  }
}
