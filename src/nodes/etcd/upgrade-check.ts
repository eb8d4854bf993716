import { isDefect } from '../../cosi/index.ts';
import type { Task } from '../../platform/task.ts';
import { isControlPlane } from '../config/settings.ts';
import { errorText, NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../resources/config.ts';
import { openControlPlaneEtcd, openEtcd } from './client.ts';

const QUORUM_US = 15_000_000;

/** Refuses an upgrade that would cost etcd its quorum (reference/v1.11.3.md 7.2, reference/controllers.md C.4). */
export function* withUpgradeCheck(machine: Machine): Task<void> {
  const settings = machine.state.get(MachineConfigs, ACTIVE_CONFIG)?.spec.settings;
  if (settings === undefined || !isControlPlane(settings.machineType)) return;
  try {
    yield* validate(machine);
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new NodeError(`error validating etcd for upgrade: ${errorText(error)}`);
  }
}

function* validate(machine: Machine): Task<void> {
  const client = yield* openControlPlaneEtcd(machine, { requireLeader: true });
  try {
    const { members } = yield* client.memberList();
    if (members.length === 2) {
      throw new NodeError('etcd member count(2) is insufficient to maintain quorum if upgrade commences');
    }
    for (const member of members) {
      if (member.name === '') {
        throw new NodeError(
          `etcd member ${member.id} is not started, all members must be running to perform an upgrade`,
        );
      }
      yield* checkMember(machine, member.id, member.clientUrls);
    }
  } finally {
    client.close();
  }
}

function* checkMember(machine: Machine, id: string, clientUrls: readonly string[]): Task<void> {
  const addresses = clientUrls.map((url) =>
    url
      .replace(/^https:\/\//, '')
      .replace(/:[0-9]+$/, '')
      .replace(/^\[|\]$/g, ''),
  );
  const client = yield* openEtcd(machine, addresses);
  try {
    yield* client.validateQuorum(QUORUM_US);
  } catch (error) {
    if (isDefect(error)) throw error;
    throw new NodeError(
      `etcd member ${id} is not healthy; all members must be healthy to perform an upgrade: ${errorText(error)}`,
    );
  } finally {
    client.close();
  }
}
