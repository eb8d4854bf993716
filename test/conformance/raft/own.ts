import { type Message, nodeId } from '../../../src/raft/index.ts';
import { bytesOf, type Directive, firstNode, messageType, valueOfArg } from './arguments.ts';
import type { Environment } from './environment.ts';
import { type Case, numberOf, ScriptError } from './script.ts';

/**
 * Directives of our own scripts, for what the format lacks:
 *
 *     restart <id> [after=write|send|apply]  lose all that is not in storage, and start again; with `after`, a
 *                                            Ready is handled up to that point first
 *     snapshot <id>                          store a snapshot of the application, which a restart begins with
 *     read-index <id> <context>              ask for a read
 *     duplicate-msgs <id> [type=MsgX]        put every queued message to the node into the queue once more
 *     reverse-msgs <id>                      reverse the order of the queued messages to the node
 *     report-snapshot <id> <other> <finish|failure>
 */
export const OWN_DIRECTIVES: Readonly<Record<string, Directive>> = {
  restart,
  snapshot: (env, test) => {
    const { storage } = firstNode(env, test);
    const { index, confState, data } = storage.snapshot();
    const made = storage.createSnapshot(index, confState, data);
    return typeof made === 'string' ? made : null;
  },
  'read-index': (env, test) => {
    firstNode(env, test).raft.readIndex(bytesOf(test.args[1]?.key ?? ''));
  },
  'duplicate-msgs': (env, test) => {
    env.messages.push(...queuedTo(env, test));
  },
  'reverse-msgs': (env, test) => {
    const reversed = queuedTo(env, test).reverse();
    env.messages = [...env.messages.filter((message) => !reversed.includes(message)), ...reversed];
  },
  'report-snapshot': (env, test) => {
    const [, about, outcome] = test.args.map(({ key }) => key);
    if (outcome !== 'finish' && outcome !== 'failure') throw new ScriptError('outcome must be finish or failure');
    firstNode(env, test).raft.reportSnapshot(nodeId(numberOf(about ?? '')), outcome);
  },
};

function restart(env: Environment, test: Case): string | null {
  const node = firstNode(env, test);
  const after = valueOfArg(test, 'after');
  if (after === 'write' || after === 'send' || after === 'apply') {
    const failed = env.processReady(node, after);
    if (failed !== null) return failed;
  } else if (after !== undefined) {
    throw new ScriptError('after must be write, send or apply');
  }
  env.restart(node);
  return null;
}

function queuedTo(env: Environment, test: Case): Message[] {
  const to = nodeId(numberOf(test.args[0]?.key ?? ''));
  const name = valueOfArg(test, 'type');
  const type = name === undefined ? null : messageType(name);
  return env.messages.filter((message) => message.to === to && (type === null || message.type === type));
}
