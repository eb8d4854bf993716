import { isDefect } from '../../cosi/index.ts';
import type { EtcdClient } from '../../etcd/client/client.ts';
import { LockError, Mutex } from '../../etcd/client/mutex.ts';
import { Session } from '../../etcd/client/session.ts';
import type { Task } from '../../platform/task.ts';
import { controlPlaneSettings } from '../config/active.ts';
import { errorText, NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { hostOfUrl, openControlPlaneEtcd, openEtcd, validateQuorum, withEtcd } from './client.ts';

const QUORUM_US = 15_000_000;
const UNLOCK_US = 5_000_000;
const UPGRADE_MUTEX = 'talos:v1:etcdUpgradeMutex';

/** Refuses an upgrade that would cost etcd its quorum (reference/v1.11.3.md 7.2, reference/controllers.md C.4). */
export function* withUpgradeCheck(machine: Machine): Task<void> {
  if (controlPlaneSettings(machine.state) === undefined) return;
  try {
    yield* validate(machine);
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new NodeError(`error validating etcd for upgrade: ${errorText(error)}`);
  }
}

function* validate(machine: Machine): Task<void> {
  yield* withEtcd(openControlPlaneEtcd(machine, { requireLeader: true }), function* (client) {
    const session = yield* Session.open(client);
    const mutex = new Mutex(session, UPGRADE_MUTEX);
    try {
      yield* lockUpgrades(mutex);
      yield* checkMembers(machine, client);
      yield* mutex.unlock({ timeoutUs: UNLOCK_US });
    } finally {
      session.orphan();
    }
    yield* session.close({ timeoutUs: UNLOCK_US });
  });
}

function* lockUpgrades(mutex: Mutex): Task<void> {
  try {
    yield* mutex.tryLock();
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    throw new NodeError(`failed to acquire upgrade mutex: error trying to lock etcd upgrade mutex: ${error.message}`);
  }
}

function* checkMembers(machine: Machine, client: EtcdClient): Task<void> {
  const { members } = yield* client.memberList();
  if (members.length === 2) {
    throw new NodeError('etcd member count(2) is insufficient to maintain quorum if upgrade commences');
  }
  for (const { id, name, clientUrls } of members) {
    if (name === '') {
      throw new NodeError(`etcd member ${id} is not started, all members must be running to perform an upgrade`);
    }
    yield* checkMember(machine, id, clientUrls);
  }
}

function* checkMember(machine: Machine, id: string, clientUrls: readonly string[]): Task<void> {
  try {
    yield* withEtcd(openEtcd(machine, clientUrls.map(hostOfUrl)), (client) => validateQuorum(client, QUORUM_US));
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new NodeError(
      `etcd member ${id} is not healthy; all members must be healthy to perform an upgrade: ${errorText(error)}`,
    );
  }
}
