import type { Controller } from '../../../cosi/index.ts';
import { ControllerError, exclusive, weak } from '../../../cosi/index.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import { NetError } from '../../../platform/errors.ts';
import type { Task } from '../../../platform/task.ts';
import { serveHttp } from '../../../rpc/http/server.ts';
import { specYaml } from '../../api/yaml.ts';
import { staticPods } from '../../events.ts';
import type { Machine } from '../../machine.ts';
import { StaticPodServerStatuses, StaticPods } from '../../resources/k8s.ts';

/** Serves the list of static pods to the kubelet, which asks every 20 s (reference/controllers.md B.2.8). */
export function staticPodServerController(machine: Machine): Controller {
  const { platform, kmsg } = machine;
  return {
    name: 'k8s.StaticPodServerController',
    inputs: [weak(StaticPods)],
    outputs: [exclusive(StaticPodServerStatuses)],
    *run(context) {
      let list: Uint8Array | undefined;
      let shown = new Map<string, number>();
      const server = yield* listen(machine, () => list);
      try {
        const url = `http://127.0.0.1:${server.local.port}`;
        context.set(StaticPodServerStatuses, 'static-pod-server-status', { url });
        for (;;) {
          yield* context.wakeUp();
          const pods = context.list(StaticPods);
          const items = pods.map(({ spec }) => spec.pod);
          list = utf8Encode(specYaml({ apiVersion: 'v1', kind: 'PodList', items: items.length === 0 ? null : items }));
          const now = new Map(pods.map(({ metadata }) => [metadata.id, metadata.version]));
          const changed = report(kmsg, shown, now);
          shown = now;
          if (changed) platform.log.event(staticPods, { pods: [...now.keys()] });
          context.resetRestartBackoff();
        }
      } finally {
        server.close();
      }
    },
  };
}

function* listen(machine: Machine, list: () => Uint8Array | undefined) {
  try {
    return yield* serveHttp(machine.platform, {
      address: '127.0.0.1',
      port: 0,
      *handler(): Task<{ status: number; headers?: Record<string, string>; body?: Uint8Array }> {
        const body = list();
        if (body === undefined) return { status: 500 };
        return { status: 200, headers: { 'content-type': 'application/yaml' }, body };
      },
    });
  } catch (error) {
    if (error instanceof NetError) throw new ControllerError(`error starting static pod server: ${error.message}`);
    throw error;
  }
}

/** Logs what is different; true when something is. */
function report(kmsg: Machine['kmsg'], before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): boolean {
  let changed = false;
  for (const [id, version] of now) {
    if (before.get(id) === version) continue;
    kmsg.talos(`rendered ${before.has(id) ? 'updated' : 'new'} static pod ${id}`);
    changed = true;
  }
  for (const id of before.keys()) {
    if (now.has(id)) continue;
    kmsg.talos(`removed static pod ${id}`);
    changed = true;
  }
  return changed;
}
