import type { Channel } from './channel.ts';
import type { Platform } from './platform.ts';
import type { Task } from './task.ts';

export type Signal = 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGSTOP' | 'SIGCONT';

/** A directory of the machine made visible to a container. */
export interface Mount {
  readonly source: string;
  readonly destination: string;
  readonly readOnly?: boolean;
}

export interface ContainerSpec {
  /** Unique within its namespace among running containers. */
  readonly id: string;
  /** containerd namespace: `system` or `k8s.io`. */
  readonly namespace: string;
  /** Image reference, e.g. `gcr.io/etcd-development/etcd:v3.6.5`. It must have been pulled. */
  readonly image: string;
  /** Complete command line, the program's name first. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly mounts?: readonly Mount[];
  /** `host` shares the machine's addresses; a pod network name is given by its sandbox. */
  readonly network: 'host' | { readonly podAddress: string };
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ExitStatus {
  readonly code: number;
  /** Set when a signal ended it; then `code` is 128 + the signal's number. */
  readonly signal?: Signal;
  /** True when the kernel killed it for want of memory. */
  readonly outOfMemory?: boolean;
}

export interface ContainerInfo {
  readonly id: string;
  readonly namespace: string;
  readonly image: string;
  readonly pid: number;
  readonly state: 'running' | 'paused' | 'exited';
  readonly startedAtUs: number;
  /** Those of its spec. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly exit?: ExitStatus;
}

export interface Container {
  readonly info: ContainerInfo;
  /** Waits for the end. */
  wait(): Task<ExitStatus>;
  signal(signal: Signal): void;
  /** Lines the program printed so far, oldest first, at most the last `count`. */
  logTail(count: number): readonly string[];
  /** Calls `listener` for each further line until the returned function is called. */
  onLog(listener: (line: string) => void): () => void;
}

/** containerd as its clients see it. Fails with ContainerError. */
export interface Containers {
  /** Fetches an image unless it is there; takes as long as it takes. `image-not-found`, `pull-failed`. */
  pull(image: string): Task<void>;
  hasImage(image: string): boolean;
  images(): readonly string[];
  /** Starts a container; `exists`, `image-not-found`, `no-program`. */
  run(spec: ContainerSpec): Task<Container>;
  list(namespace?: string): readonly ContainerInfo[];
  find(namespace: string, id: string): Container | undefined;
}

/** What a program is given when it starts. */
export interface Process {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly platform: Platform;
  /** SIGTERM, SIGINT and SIGHUP arrive here; SIGKILL, SIGSTOP and SIGCONT never reach a program. */
  readonly signals: Channel<Signal>;
  /** Prints one line to the container's log. */
  print(line: string): void;
}

/** What a container image runs; the value is the exit code. Fatal and ExitProcess end it too. */
export type Program = (process: Process) => Task<number>;
