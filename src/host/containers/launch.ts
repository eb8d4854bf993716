import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { HostMount } from '../disk/mounts.ts';
import type { ImageSource } from './images.ts';

/** What a child process needs to know to run a Program; passed as JSON in an environment variable. */
export interface ProgramSpec {
  readonly source: Exclude<ImageSource, { readonly kind: 'binary' }>;
  readonly name: string;
  /** Tag of the image. */
  readonly tag: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly self: string;
  readonly root: string;
  readonly mounts: readonly HostMount[];
}

/** Name of the variable that carries the {@link ProgramSpec}. */
export const SPEC_VARIABLE = 'TALOSIM_PROGRAM';

/** Descriptor on which a program's process writes: first an empty line when it has started, then events. */
export const EVENTS_DESCRIPTOR = 3;

export interface LaunchSpec extends Omit<ProgramSpec, 'source'> {
  readonly source: ImageSource;
}

/** Starts the process: standard output and error and the event pipe are piped to us. */
export function launch(spec: LaunchSpec): ChildProcess {
  const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe', 'pipe'];
  if (spec.source.kind === 'binary') {
    const args = spec.argv.slice(1).map((argument) => realPathsIn(argument, spec.mounts));
    return spawn(spec.source.path, args, { stdio, env: { ...spec.env } });
  }
  const program: ProgramSpec = { ...spec, source: spec.source };
  const entry = fileURLToPath(entryUrl());
  const loader = entry.endsWith('.ts') ? ['--import', typescriptLoader()] : [];
  return spawn(process.execPath, [...loader, entry], {
    stdio,
    env: { PATH: process.env.PATH ?? '', [SPEC_VARIABLE]: JSON.stringify(program) },
  });
}

/** As source it is in the folder above; in the package, bundles lie side by side. */
function entryUrl(): URL {
  const entry = import.meta.url.endsWith('.ts') ? '../run-program.ts' : './run-program.mjs';
  return new URL(entry, import.meta.url);
}

function typescriptLoader(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
}

/** `--data-dir=/var/lib/etcd` with the real directory that is mounted there. */
function realPathsIn(argument: string, mounts: readonly HostMount[]): string {
  const sorted = [...mounts].sort((a, b) => b.destination.length - a.destination.length);
  for (const { destination, directory } of sorted) {
    const at = argument.indexOf(destination);
    if (at < 0 || destination === '/') continue;
    const before = at === 0 ? '' : argument[at - 1]!;
    const after = argument[at + destination.length] ?? '';
    if (!['', '=', ':', ','].includes(before) || !['', '/', ',', ':'].includes(after)) continue;
    return argument.slice(0, at) + directory + argument.slice(at + destination.length);
  }
  return argument;
}
