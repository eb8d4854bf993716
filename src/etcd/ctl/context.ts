import type { Once } from '../../platform/signal.ts';
import type { ClientOptions, ClientPorts, EtcdClient } from '../client/client.ts';
import type { Flags } from './flags.ts';

/** What a run of etcdctl needs of the workstation. */
export interface CtlContext {
  readonly ports: ClientPorts;
  readonly env: Readonly<Record<string, string>>;
  readonly readFile: (path: string) => Uint8Array | undefined;
  readonly writeFile: (path: string, content: Uint8Array) => void;
  /** What is typed or piped into the command: the operations of `txn`, the value of `put KEY`. */
  readonly stdin: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Told of a client that still has something to say when the command is over: the process must live until it is gone. */
  readonly linger: (gone: Once<true>) => void;
  /** Version of the tool: `3.6.5`. */
  readonly version: string;
}

/** A command under way: its words, its flags, and connections made from the global flags. */
export interface Run {
  readonly context: CtlContext;
  readonly args: readonly string[];
  readonly flags: Flags;
  /** Which of {@link args} is the first behind `--`; undefined when there is no `--`. */
  readonly dashAt: number | undefined;
  /** `--endpoints`, as given. */
  readonly endpoints: readonly string[];
  readonly format: Format;
  readonly hex: boolean;
  /** Limit of a command that has one; absent for those that wait as long as it takes. */
  readonly limits: { readonly timeoutUs: number };
  /** A client over some endpoints, by default all; closed when the command ends. */
  client(endpoints?: readonly string[], options?: Partial<ClientOptions>): EtcdClient;
  /** Prints what help says of the command that these words name. */
  help(topic: readonly string[]): void;
  line(text: string): void;
  errorLine(text: string): void;
}

export type Format = 'simple' | 'json' | 'table' | 'fields';

/** Exit codes of etcdctl (reference/etcd.md E7). */
export const ExitCode = Object.freeze({
  Success: 0,
  Error: 1,
  BadConnection: 2,
  InvalidInput: 3,
  BadFeature: 4,
  Interrupted: 5,
  BadArgs: 128,
});

/** Ends a command with an error line and a code. */
export class CtlExit extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'CtlExit';
    this.code = code;
  }
}
