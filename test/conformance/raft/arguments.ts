import { MessageType } from '../../../src/raft/index.ts';
import type { Environment } from './environment.ts';
import type { ScriptNode } from './node.ts';
import { type Case, idsOf, numberOf, ScriptError } from './script.ts';

/** Runs a directive. A string is the text of the error it ends in; anything else is success. */
export type Directive = (env: Environment, test: Case) => unknown;

/** Bytes of a token, which scripts keep to ASCII and UTF-8. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The node that the first argument names. */
export function firstNode(env: Environment, { args }: Case): ScriptNode {
  return env.node(numberOf(args[0]?.key ?? ''));
}

export function nodesOf(env: Environment, { args }: Case): ScriptNode[] {
  return idsOf(args).map((id) => env.node(id));
}

/** The value of an argument, if given. */
export function valueOfArg({ args }: Case, key: string): string | undefined {
  return args.find((arg) => arg.key === key)?.values[0];
}

export function messageType(name: string): MessageType {
  const type = name.startsWith('Msg') ? MessageType[name.slice(3) as keyof typeof MessageType] : undefined;
  if (type === undefined) throw new ScriptError(`unknown message type ${name}`);
  return type;
}
