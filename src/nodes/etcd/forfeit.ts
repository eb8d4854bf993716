import type { Member } from '../../api/etcd/cluster.ts';
import { RpcError } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { hostOfUrl, openControlPlaneEtcd, openEtcd, withEtcd } from './client.ts';
import { localMemberId } from './leave.ts';

/** Hands leadership to the first other member in the list; '' when this one does not lead (reference/controllers.md C.4). */
export function* forfeitLeadership(machine: Machine): Task<string> {
  const id = yield* localMemberId(machine);
  const { members } = yield* withEtcd(openControlPlaneEtcd(machine, { requireLeader: true }), (client) =>
    client.memberList(),
  );
  if (members.length === 1) throw new NodeError('cannot forfeit leadership, only one member');
  const own = members.find((member) => member.id === id);
  if (own === undefined) throw new NodeError(`failed to find "${id}" in list of etcd members`);
  const target = members.find((member) => member.id !== id)!;
  for (const url of own.clientUrls) {
    const moved = yield* moveFrom(machine, url, id, target);
    if (moved !== undefined) return moved;
  }
  return '';
}

function* moveFrom(machine: Machine, url: string, id: string, target: Member): Task<string | undefined> {
  return yield* withEtcd(openEtcd(machine, [hostOfUrl(url)]), function* (client) {
    try {
      if ((yield* client.maintenance.status(url)).leader !== id) return '';
      yield* client.maintenance.moveLeader(target.id);
      return target.name;
    } catch (error) {
      if (error instanceof RpcError && error.message === 'etcdserver: not leader') return '';
      throw error;
    }
  });
}
