import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { utf8Encode } from '../../../src/platform/bytes.ts';
import { byTier } from '../../support/tier.ts';
import { untilOk } from '../helpers.ts';
import { CALLS, type Edges, WATCHES } from './edges.ts';
import { execute, outcome } from './execute.ts';
import { ChangeSource, change } from './membership.ts';
import { describeOperation, OperationSource } from './operations.ts';
import { type RunningServer, realEtcd, Workbench } from './servers.ts';

const SEQUENCES = byTier(4, 60, 300);
const LENGTH = 150;
const binary = realEtcd();

describe.skipIf(binary === undefined)('beside the real etcd 3.4', () => {
  let bench: Workbench;
  let ours: RunningServer;
  let real: RunningServer;

  beforeAll(async () => {
    bench = new Workbench('127.0.66.1');
    real = bench.startReal(binary!, '127.0.66.2');
    ours = await bench.startOurs('127.0.66.1');
    for (const server of [ours, real]) {
      await server.run(() => untilOk(() => server.client.put({ key: utf8Encode('first') }, { timeoutUs: 15_000_000 })));
    }
  }, 60_000);
  afterAll(() => bench.stop());

  const current = (server: RunningServer): Promise<number> =>
    server.run(function* () {
      return (yield* server.client.range({ key: utf8Encode('first') })).header!.revision;
    });

  it(`answers the same to the same requests (${SEQUENCES} sequences of ${LENGTH})`, async () => {
    for (let sequence = 1; sequence <= SEQUENCES; sequence++) {
      // A connection each: what is compared here are servers, not how long connections live.
      for (const server of [ours, real]) server.reconnect();
      const source = new OperationSource(`compare-${sequence}`);
      for (let step = 0; step <= LENGTH; step++) {
        const revision = await current(real);
        expect(await current(ours), `revision before step ${step} of sequence ${sequence}`).toBe(revision);
        const operation = step < LENGTH ? source.next(revision) : source.end();
        const [got, wanted] = await Promise.all(
          [ours, real].map((server) =>
            server.run(() => execute(server.client, `http://${server.address}:2379`, operation, revision)),
          ),
        );
        expect(got, `sequence ${sequence}, step ${step}: ${describeOperation(operation)}`).toEqual(wanted);
      }
    }
  }, 600_000);

  it('tells the same over HTTP, with the same names of what it counts', async () => {
    const answers = (path: string, init: RequestInit = {}): Promise<{ status: number; text: string; type: string }[]> =>
      Promise.all(
        [ours, real].map(async ({ address }) => {
          const answer = await fetch(`http://${address}:2379${path}`, init);
          return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') ?? '' };
        }),
      );
    for (const path of ['/version', '/', '/nothing', '/health/x']) {
      const [got, wanted] = await answers(path);
      expect(got, path).toEqual(wanted);
    }
    const [posted, wanted] = await answers('/health', { method: 'POST' });
    expect(posted).toEqual(wanted);
    const [health, realHealth] = await answers('/health');
    expect(health).toMatchObject({
      status: realHealth!.status,
      type: realHealth!.type,
      text: expect.stringMatching(/^\{"health":"true"/),
    });
    const [metrics, realMetrics] = (await answers('/metrics')).map(({ text }) => text.split('\n'));
    const types = metrics!.filter((line) => line.startsWith('# TYPE') || line.startsWith('# HELP'));
    expect(types.length).toBeGreaterThan(50);
    for (const type of types) expect(realMetrics).toContain(type);
    for (const name of ['etcd_mvcc_put_total', 'etcd_mvcc_delete_total', 'etcd_debugging_lease_granted_total']) {
      const [got, real] = [metrics!, realMetrics!].map((lines) => lines.find((line) => line.startsWith(`${name} `)));
      expect(got).toBe(real);
    }
  });

  it('answers the same at the limits of the protocol', async () => {
    const compare = async (edges: Edges, name: string): Promise<void> => {
      const [got, wanted] = await Promise.all(
        [ours, real].map((server) => server.run(() => outcome(() => edges[name]!(server)))),
      );
      expect(got, name).toEqual(wanted);
    };
    for (const name of Object.keys(CALLS)) await compare(CALLS, name);
    // Each has a stream of its own, and none changes anything.
    await Promise.all(Object.keys(WATCHES).map((name) => compare(WATCHES, name)));
  }, 120_000);

  it('changes the membership in the same way', async () => {
    const source = new ChangeSource('membership');
    let refused = 0;
    for (let step = 0; step < 60; step++) {
      const next = source.next();
      const [got, wanted] = await Promise.all(
        [ours, real].map((server) => server.run(() => change(server.client, next))),
      );
      expect(got, `step ${step}: ${JSON.stringify(next)}`).toEqual(wanted);
      if ('message' in (wanted as object)) refused++;
    }
    expect(refused).toBeGreaterThan(10);
    expect(refused).toBeLessThan(50);
  }, 120_000);
});
