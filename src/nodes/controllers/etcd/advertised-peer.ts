import type { Controller } from '../../../cosi/index.ts';
import { ControllerError, isDefect, passController, weak } from '../../../cosi/index.ts';
import { timeout } from '../../../platform/combinators.ts';
import type { Task } from '../../../platform/task.ts';
import { errorText } from '../../errors.ts';
import { peerUrls } from '../../etcd/arguments.ts';
import { openLocalEtcd, withEtcd } from '../../etcd/client.ts';
import type { Machine } from '../../machine.ts';
import { ETCD, EtcdSpecs, PkiStatuses } from '../../resources/etcd.ts';
import { Services } from '../../resources/runtime.ts';

const LIMIT_US = 30_000_000;

/** Keeps the peer URLs that the cluster has of this member as the spec wants them (reference/controllers.md B.1.5). */
export function advertisedPeerController(machine: Machine): Controller {
  return passController({
    name: 'etcd.AdvertisedPeerController',
    inputs: [weak(EtcdSpecs, ETCD), weak(PkiStatuses, ETCD), weak(Services, ETCD)],
    outputs: [],
    pass: function* (context) {
      const etcd = context.get(Services, ETCD);
      const spec = context.get(EtcdSpecs, ETCD);
      if (etcd?.spec.healthy !== true || spec === undefined || context.get(PkiStatuses, ETCD) === undefined) return;
      try {
        yield* timeout(machine.platform.clock, LIMIT_US, update(machine, peerUrls(spec.spec)));
      } catch (error) {
        if (isDefect(error)) throw error;
        throw new ControllerError(`error updating advertised peers: ${errorText(error)}`);
      }
    },
  });
}

function* update(machine: Machine, wanted: readonly string[]): Task<void> {
  yield* withEtcd(openLocalEtcd(machine), function* (client) {
    const { header, members } = yield* client.memberList();
    const local = members.find((member) => member.id === header?.memberId);
    if (local === undefined) throw new ControllerError('local member not found in member list');
    const same = local.peerUrls.length === wanted.length && local.peerUrls.every((url, i) => url === wanted[i]);
    if (!same) yield* client.memberUpdate(local.id, wanted);
  });
}
