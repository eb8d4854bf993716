import { describe, expect, it } from 'vitest';
import { RebootRequest } from '../../src/api/machine/lifecycle.ts';
import { MachineService } from '../../src/api/machine/services.ts';
import { staticPods, vipAcquired, vipReleased } from '../../src/nodes/events.ts';
import { MINUTE_US, SECOND_US, TestCluster } from './cluster.ts';

const ADDRESS = '10.0.0.5';

function threeMembers(seed: number): TestCluster {
  const cluster = new TestCluster({ seed });
  cluster.bringUp();
  cluster.advance(25 * SECOND_US);
  return cluster;
}

/** Time until somebody else has the address, in seconds. */
function moved(cluster: TestCluster, fromUs: number, limitUs: number): { readonly by: string; readonly after: number } {
  const next = () =>
    cluster.seen(vipAcquired.name).find(({ timeUs, source }) => timeUs > fromUs && !source.startsWith('cp-1/'));
  cluster.until(() => next() !== undefined, limitUs, 'the address moves');
  return { by: next()!.source.replace(/\/.*/, ''), after: (next()!.timeUs - fromUs) / SECOND_US };
}

describe('the shared address', () => {
  it('moves within a second when its holder reboots, before its etcd stops (reference/corrections.md 1a-1)', () => {
    const cluster = threeMembers(1);
    expect(cluster.matching(vipAcquired, { address: ADDRESS }).map(({ source }) => source)).toEqual(['cp-1/machined']);
    const fromUs = cluster.nowUs;
    cluster.api('10.0.0.10', MachineService.Reboot, RebootRequest.empty);
    const releasedUs = cluster.awaitEvent(vipReleased, { address: ADDRESS }, 'cp-1', 5 * SECOND_US);
    const { by, after } = moved(cluster, fromUs, 5 * SECOND_US);
    const etcdDown = cluster
      .seen('node.service', 'cp-1')
      .find(({ timeUs, fields }) => timeUs > fromUs && fields.service === 'etcd' && fields.state !== 'Running');
    expect(releasedUs - fromUs).toBeLessThan(SECOND_US);
    expect(after).toBeLessThan(1);
    expect(['cp-2', 'cp-3']).toContain(by);
    if (etcdDown !== undefined) expect(etcdDown.timeUs).toBeGreaterThan(releasedUs);
    cluster.close();
  });

  it('moves 62 to 65 s after the power of its holder failed, when that was the etcd leader (1a-2)', () => {
    const cluster = threeMembers(2);
    const fromUs = cluster.nowUs;
    cluster.world.machine('cp-1').powerOff();
    const { after } = moved(cluster, fromUs, 2 * MINUTE_US);
    expect(after).toBeGreaterThan(62);
    expect(after).toBeLessThan(65);
    cluster.close();
  });

  it('moves after 40 to 61 s when its holder was not the leader (1a-2)', () => {
    const cluster = threeMembers(3);
    cluster.api('10.0.0.10', MachineService.EtcdForfeitLeadership, {});
    cluster.advance(70 * SECOND_US);
    const fromUs = cluster.nowUs;
    cluster.world.machine('cp-1').powerOff();
    const { after } = moved(cluster, fromUs, 2 * MINUTE_US);
    expect(after).toBeGreaterThan(39.9);
    expect(after).toBeLessThan(61.5);
    cluster.close();
  });

  it('is given up 40 to 62 s after quorum was lost (1a-32)', () => {
    const cluster = threeMembers(4);
    const fromUs = cluster.nowUs;
    for (const name of ['cp-2', 'cp-3']) cluster.world.machine(name).powerOff();
    const releasedUs = cluster.awaitEvent(vipReleased, { address: ADDRESS }, 'cp-1', 2 * MINUTE_US, fromUs);
    expect((releasedUs - fromUs) / SECOND_US).toBeGreaterThan(39);
    expect((releasedUs - fromUs) / SECOND_US).toBeLessThan(62);
    cluster.close();
  });

  it('is released when the etcd of its holder dies, with the static pods (1a-18)', () => {
    const cluster = threeMembers(5);
    const fromUs = cluster.nowUs;
    cluster.world.apply({ fault: 'kill', machines: ['cp-1'], process: 'etcd' });
    cluster.awaitEvent(vipReleased, { address: ADDRESS }, 'cp-1', 5 * SECOND_US, fromUs);
    const podsNow = (): number => {
      const last = cluster.seen(staticPods.name, 'cp-1').at(-1)!;
      return (last.fields.pods as readonly string[]).length;
    };
    cluster.until(() => podsNow() === 0, 5 * SECOND_US, 'no static pods');
    cluster.awaitService('etcd', 'cp-1', 40 * SECOND_US);
    cluster.until(() => podsNow() === 3, SECOND_US, 'static pods again');
    cluster.close();
  });
});
