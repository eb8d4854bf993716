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

const BUILT_IN: Readonly<Record<BuiltInProgram, () => Promise<Program>>> = {
  etcd: async () => (await import('../etcd/server/images.ts')).etcd,
  'kube-apiserver': async () => (await import('../kube/apiserver/apiserver.ts')).kubeApiserver,
  'kube-controller-manager': async () =>
    (await import('../kube/controller-manager/controller-manager.ts')).kubeControllerManager,
  'kube-scheduler': async () => (await import('../kube/scheduler/scheduler.ts')).kubeScheduler,
  kubelet: async () => (await import('../kube/kubelet/kubelet.ts')).kubelet,
  'discovery-service': async () => (await import('../services/discovery/program.ts')).discoveryService,
  'time-server': async () => (await import('../services/time/server.ts')).timeServer,
  'load-balancer': async () => (await import('../services/load-balancer/server.ts')).loadBalancer,
};

async function programOf({ source }: ProgramSpec): Promise<Program> {
  if (source.kind === 'built-in') return BUILT_IN[source.name]();
  const loaded = (await import(source.module)) as Readonly<Record<string, Program>>;
  const program = loaded[source.export];
  if (program === undefined) throw new Error(`${source.module} does not export ${source.export}`);
  return program;
}

const spec = JSON.parse(process.env[SPEC_VARIABLE] ?? '{}') as ProgramSpec;
const program = await programOf(spec);

/** Ends the process with everything that was written to its pipes. */
function end(code: number, ...lines: readonly string[]): never {
  if (lines.length > 0) writeSync(2, `${lines.join('\n')}\n`);
  process.exit(code);
}

function escaped(error: unknown): void {
  if (error instanceof ExitProcess) end(error.code);
  if (error instanceof Fatal) end(PANIC_CODE, `panic: ${error.message}`);
  end(BUG_CODE, error instanceof Error ? (error.stack ?? error.message) : String(error));
}

function emit(line: string): void {
  try {
    writeSync(EVENTS_DESCRIPTOR, `${line}\n`);
  } catch {
    // Whoever started us is gone, or does not listen.
  }
}

const host = hostPlatform({
  name: spec.name,
  self: spec.self,
  root: spec.root,
  mounts: spec.mounts,
  log: emit,
  onEscape: escaped,
});
const signals = new Channel<Signal>();
for (const signal of FORWARDED) process.on(signal, () => host.executor.enter(() => signals.offer(signal)));

const context: Process = {
  argv: spec.argv,
  env: spec.env,
  platform: host.platform,
  signals,
  print: (line) => writeSync(1, `${line}\n`),
};

host.executor.enter(() => {
  host.scope.spawn('main', function* () {
    end(yield* program(context));
  });
});
// A program that waits for nothing but signals would have nothing to keep Node.js running.
setInterval(() => {}, 2_000_000_000);
emit('');
