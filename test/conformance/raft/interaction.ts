import { parseConfChangeTokens } from '../../../src/raft/confchange/text.ts';
import {
  type AnyConfChange,
  ConfChangeTransition,
  type Config,
  describeEntries,
  describeMessage,
  describeProgress,
  EMPTY_CONF_STATE,
  idDecimal,
  MessageType,
  NO_LIMIT,
  NONE,
  type NodeId,
  nodeId,
  roleName,
  type Snapshot,
} from '../../../src/raft/index.ts';
import { bytesOf, type Directive, firstNode, messageType, nodesOf, valueOfArg } from './arguments.ts';
import { Environment, type Recipient } from './environment.ts';
import type { ScriptNode } from './node.ts';
import { OWN_DIRECTIVES } from './own.ts';
import { booleanOf, type Case, idsOf, numberOf, ScriptError } from './script.ts';

type Options = { -readonly [K in keyof Config]?: Config[K] };

/** Options of `add-nodes` that go into the config; those after the blank line are of our own scripts. */
const OPTIONS: Readonly<Record<string, (options: Options, value: string) => void>> = {
  inflight: (options, value) => (options.maxInflightMsgs = numberOf(value)),
  'async-storage-writes': (options, value) => (options.asyncStorageWrites = booleanOf(value)),
  prevote: (options, value) => (options.preVote = booleanOf(value)),
  checkquorum: (options, value) => (options.checkQuorum = booleanOf(value)),
  'max-committed-size-per-ready': (options, value) => (options.maxCommittedSizePerReadyBytes = numberOf(value)),
  'disable-conf-change-validation': (options, value) => (options.disableConfChangeValidation = booleanOf(value)),
  'step-down-on-removal': (options, value) => (options.stepDownOnRemoval = booleanOf(value)),

  behaviour: (options, value) => (options.behaviour = value === '3.6' ? '3.6' : '3.7'),
  'disable-proposal-forwarding': (options, value) => (options.disableProposalForwarding = booleanOf(value)),
  'max-size-per-msg': (options, value) => (options.maxSizePerMsgBytes = numberOf(value)),
  'max-inflight-bytes': (options, value) => (options.maxInflightBytes = numberOf(value)),
  'max-uncommitted-size': (options, value) => (options.maxUncommittedSizeBytes = numberOf(value)),
};

function addNodes(env: Environment, test: Case): string | null {
  const options: Options = {};
  const voters: NodeId[] = [];
  const learners: NodeId[] = [];
  let index = 0;
  for (const { key, values } of test.args.slice(1)) {
    for (const value of values) {
      if (key === 'voters') voters.push(nodeId(numberOf(value)));
      else if (key === 'learners') learners.push(nodeId(numberOf(value)));
      else if (key === 'index') index = numberOf(value);
      else if (key !== 'read-only') OPTIONS[key]?.(options, value);
      else if (value === 'safe' || value === 'lease-based') options.readOnly = value;
      else return `invalid read-only option ${JSON.stringify(value)}`;
    }
  }
  const bare = voters.length === 0 && learners.length === 0 && index === 0;
  const confState = { ...EMPTY_CONF_STATE, voters, learners };
  const snapshot: Snapshot | null = bare ? null : { index, term: 1, confState, data: null };
  return env.addNodes(numberOf(test.args[0]?.key ?? ''), options, snapshot);
}

function stabilize(env: Environment, test: Case): string | null {
  return env.output.keepingLevel(() => {
    for (const { key, values } of test.args) {
      for (const value of key === 'log-level' ? values : []) {
        const failed = env.output.setLevel(value);
        if (failed !== null) return failed;
      }
    }
    const nodes = nodesOf(env, test);
    return env.stabilize(nodes.length > 0 ? nodes : env.nodes);
  });
}

function deliver(env: Environment, test: Case): void {
  const recipients: Recipient[] = [];
  let type: MessageType | null = null;
  for (const { key, values } of test.args) {
    if (values.length === 0) recipients.push({ id: numberOf(key), drop: false });
    for (const value of values) {
      if (key === 'drop') {
        const id = numberOf(value);
        if (recipients.some((one) => one.id === id)) throw new ScriptError(`can't both deliver and drop msgs to ${id}`);
        recipients.push({ id, drop: true });
      } else if (key === 'type') {
        type = messageType(value);
      }
    }
  }
  if (env.deliver(recipients, type) === 0) env.output.write('no messages\n');
}

function propose(env: Environment, test: Case): string | null {
  const data = test.args[1];
  if (test.args.length !== 2 || data === undefined || data.values.length > 0) {
    throw new ScriptError('expected exactly one key with no vals');
  }
  return firstNode(env, test).raft.propose(bytesOf(data.key));
}

const TRANSITIONS: Readonly<Record<string, ConfChangeTransition>> = {
  auto: ConfChangeTransition.Auto,
  implicit: ConfChangeTransition.JointImplicit,
  explicit: ConfChangeTransition.JointExplicit,
};

function proposeConfChange(env: Environment, test: Case): string | null {
  const name = valueOfArg(test, 'transition') ?? 'auto';
  const transition = TRANSITIONS[name];
  if (transition === undefined) return `unknown transition ${name}`;
  const changes = parseConfChangeTokens(test.input);
  if (typeof changes === 'string') return changes;
  let change: AnyConfChange = { version: 2, transition, changes, context: null };
  if (booleanOf(valueOfArg(test, 'v1') ?? 'false')) {
    const [only] = changes;
    if (changes.length > 1 || only === undefined || transition !== ConfChangeTransition.Auto) {
      return 'v1 conf change can only have one operation and no transition';
    }
    change = { version: 1, id: NONE, type: only.type, nodeId: only.nodeId, context: null };
  }
  return firstNode(env, test).raft.proposeConfChange(change);
}

function printLog(env: Environment, node: ScriptNode): string | null {
  const first = node.storage.firstIndex();
  const last = node.storage.lastIndex();
  if (last < first) {
    env.output.write(`log is empty: first index=${first}, last index=${last}`);
    return null;
  }
  const entries = node.storage.entries(first, last + 1, NO_LIMIT);
  if (typeof entries === 'string') return entries;
  env.output.write(describeEntries(entries));
  return null;
}

function printState(env: Environment): void {
  for (const { number, raft } of env.nodes) {
    const { role, term, lead, config } = raft.status();
    const id = nodeId(number);
    const voter = config.voters.includes(id) || config.votersOutgoing.includes(id);
    env.output.write(
      `${number}: ${roleName(role)} (${voter ? 'Voter' : 'Non-Voter'}) Term:${term} Lead:${idDecimal(lead)}\n`,
    );
  }
}

function printStatus(env: Environment, test: Case): void {
  for (const view of firstNode(env, test).raft.status().progress) {
    env.output.write(`${idDecimal(view.id)}: ${describeProgress(view)}\n`);
  }
}

function sendSnapshot(env: Environment, test: Case): void {
  const [from, to] = idsOf(test.args);
  const sender = env.node(from!);
  const message = {
    ...BLANK,
    from: nodeId(from!),
    to: nodeId(to!),
    term: sender.raft.basicStatus().term,
    snapshot: sender.storage.snapshot(),
  };
  env.messages.push(message);
  env.output.write(describeMessage(message));
}

const BLANK = {
  type: MessageType.Snap,
  logTerm: 0,
  index: 0,
  entries: [],
  commit: 0,
  vote: NONE,
  reject: false,
  rejectHint: 0,
  context: null,
  responses: [],
};

/** Every directive of interaction scripts (reference/raft.md B3). */
const DIRECTIVES: Readonly<Record<string, Directive>> = {
  _breakpoint: () => null,
  'add-nodes': addNodes,
  campaign: (env, test) => firstNode(env, test).raft.campaign(),
  compact: (env, test) => {
    const node = firstNode(env, test);
    return node.storage.compact(numberOf(test.args[1]?.key ?? '')) ?? printLog(env, node);
  },
  'deliver-msgs': deliver,
  'forget-leader': (env, test) => firstNode(env, test).raft.forgetLeader(),
  'log-level': (env, test) => env.output.setLevel(test.args[0]?.key ?? ''),
  'process-append-thread': (env, test) =>
    env.forEach(nodesOf(env, test), 'processing append thread', (node) => env.processThread(node, 'append')),
  'process-apply-thread': (env, test) =>
    env.forEach(nodesOf(env, test), 'processing apply thread', (node) => env.processThread(node, 'apply')),
  'process-ready': (env, test) => env.forEach(nodesOf(env, test), 'handling Ready', (node) => env.processReady(node)),
  propose,
  'propose-conf-change': proposeConfChange,
  'raft-log': (env, test) => printLog(env, firstNode(env, test)),
  'raft-state': printState,
  'report-unreachable': (env, test) => {
    const [about] = idsOf(test.args.slice(1));
    firstNode(env, test).raft.reportUnreachable(nodeId(about!));
  },
  'send-snapshot': sendSnapshot,
  'set-randomized-election-timeout': (env, test) => {
    firstNode(env, test).raft.setRandomizedElectionTimeout(numberOf(valueOfArg(test, 'timeout') ?? ''));
  },
  stabilize,
  status: printStatus,
  'tick-election': (env, test) => {
    const node = firstNode(env, test);
    node.raft.tickN(node.config.electionTick);
  },
  'tick-heartbeat': (env, test) => {
    const node = firstNode(env, test);
    node.raft.tickN(node.config.heartbeatTick);
  },
  'transfer-leadership': (env, test) => {
    const from = env.node(numberOf(valueOfArg(test, 'from') ?? ''));
    from.raft.transferLeader(nodeId(numberOf(valueOfArg(test, 'to') ?? '')));
  },
  ...OWN_DIRECTIVES,
};

/** An interpreter of interaction scripts, with the state that lasts through one file. */
export function interactionRunner(watched: boolean): (test: Case) => string {
  const env = new Environment(watched);
  return (test) => {
    const directive = DIRECTIVES[test.command];
    const failed = directive === undefined ? 'unknown command' : directive(env, test);
    return env.output.take(typeof failed === 'string' ? failed : null);
  };
}
