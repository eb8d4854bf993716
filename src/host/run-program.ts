/** Entry point of a process that runs one Program: what a container is on a host. */

import { writeSync } from 'node:fs';
import { Channel } from '../platform/channel.ts';
import type { Process, Program, Signal } from '../platform/containers.ts';
import { ExitProcess, Fatal } from '../platform/errors.ts';
import type { BuiltInProgram } from './containers/images.ts';
import { EVENTS_DESCRIPTOR, type ProgramSpec, SPEC_VARIABLE } from './containers/launch.ts';
import { hostPlatform } from './platform.ts';

const PANIC_CODE = 2;
const BUG_CODE = 70;
const FORWARDED: readonly Signal[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** Programs by name; those of Kubernetes call themselves by the tag of their image. */
const BUILT_IN: Readonly<Record<BuiltInProgram, (tag: string) => Promise<Program>>> = {
  etcd: async () => (await import('../etcd/server/images.ts')).etcd,
  'kube-apiserver': async (tag) => (await import('../kube/apiserver/apiserver.ts')).kubeApiserver(tag),
  'kube-controller-manager': async () =>
    (await import('../kube/controller-manager/controller-manager.ts')).kubeControllerManager,
  'kube-scheduler': async () => (await import('../kube/scheduler/scheduler.ts')).kubeScheduler,
  kubelet: async (tag) => (await import('../kube/kubelet/kubelet.ts')).kubelet(tag),
  'discovery-service': async () => (await import('../services/discovery/program.ts')).discoveryService,
  'time-server': async () => (await import('../services/time/server.ts')).timeServer,
  'load-balancer': async () => (await import('../services/load-balancer/server.ts')).loadBalancer,
};

async function programOf({ source, tag }: ProgramSpec): Promise<Program> {
  if (source.kind === 'built-in') return BUILT_IN[source.name](tag);
  const loaded = (await import(source.module)) as Readonly<Record<string, Program>>;
  const program = loaded[source.export];
  if (program === undefined) throw new Error(`${source.module} does not export ${source.export}`);
  return program;
}

const spec = JSON.parse(process.env[SPEC_VARIABLE] ?? '{}') as ProgramSpec;
const program = await programOf(spec);

const IDLE = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes at once, so that nothing is lost when the process ends; as long as a full pipe is not read, we stand still, as
 * every process does. Whoever started us may be gone, or not listen: then there is nobody to tell.
 */
function writeLine(descriptor: number, line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      if (code !== 'EAGAIN') return;
      Atomics.wait(IDLE, 0, 0, 1);
    }
  }
}

function end(code: number, line?: string): never {
  if (line !== undefined) writeLine(2, line);
  process.exit(code);
}

function escaped(error: unknown): void {
  if (error instanceof ExitProcess) end(error.code);
  if (error instanceof Fatal) end(PANIC_CODE, `panic: ${error.message}`);
  end(BUG_CODE, error instanceof Error ? (error.stack ?? error.message) : String(error));
}

const host = hostPlatform({
  name: spec.name,
  self: spec.self,
  root: spec.root,
  mounts: spec.mounts,
  log: (line) => writeLine(EVENTS_DESCRIPTOR, line),
  onEscape: escaped,
});
// What Node.js throws outside of every task is a bug, too.
process.on('uncaughtException', escaped);
const signals = new Channel<Signal>();
for (const signal of FORWARDED) process.on(signal, () => host.executor.enter(() => signals.offer(signal)));

const context: Process = {
  argv: spec.argv,
  env: spec.env,
  platform: host.platform,
  signals,
  print: (line) => writeLine(1, line),
};

host.executor.enter(() => {
  host.scope.spawn('main', function* () {
    end(yield* program(context));
  });
});
// A program that waits for nothing but signals would have nothing to keep Node.js running.
setInterval(() => {}, 2_000_000_000);
writeLine(EVENTS_DESCRIPTOR, '');
