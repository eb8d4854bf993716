import { describe, expect, it } from 'vitest';
import { codeOf, readBytes } from './network-support.ts';
import { WORLDS } from './worlds.ts';

const SECOND = 1_000_000;

for (const world of WORLDS.filter((candidate) => candidate.isSimulation)) {
  describe(`network on ${world.name}: what only a simulation can do`, () => {
    /** Two peers, a connection from the first to the second, and the controls. */
    async function connected(options: { userTimeoutUs?: number } = {}) {
      const running = await world.start({ peers: 2 });
      const [a, b] = [running.peers[0]!, running.peers[1]!];
      const listener = await running.run(b, () => b.platform.net.listen({ address: '0.0.0.0', port: 7 }));
      const [client, server] = await Promise.all([
        running.run(a, () => a.platform.net.dial({ address: b.address, port: 7 }, options)),
        running.run(b, () => listener.accept()),
      ]);
      return { running, a, b, client, server, controls: running.simulation! };
    }

    it('unknown address: no route to host after three ARP questions', async () => {
      const { running, a, controls } = await connected();
      const startUs = controls.nowUs();
      expect(await running.run(a, () => codeOf(a.platform.net.dial({ address: '10.0.0.99', port: 1 })))).toBe(
        'unreachable',
      );
      expect(controls.nowUs() - startUs).toBe(3 * SECOND);
      await running.stop();
    });

    it('partition: a dial times out at its limit, a connection after its user timeout, and traffic goes on after healing', async () => {
      const { running, a, b, client, server, controls } = await connected({ userTimeoutUs: 30 * SECOND });
      const cut = controls.faults.partition([a.name], [b.name]);
      const to = { address: b.address, port: 7 };
      const startUs = controls.nowUs();
      expect(await running.run(a, () => codeOf(a.platform.net.dial(to, { timeoutUs: 2 * SECOND })))).toBe('timeout');
      expect(controls.nowUs() - startUs).toBe(2 * SECOND);
      client.send(Uint8Array.of(1));
      controls.advance(5 * SECOND);
      cut.heal();
      expect(await running.run(b, () => readBytes(server, 1))).toEqual([1]);
      controls.advance(SECOND);
      controls.faults.partition([a.name], [b.name]);
      client.send(Uint8Array.of(2));
      const cutAtUs = controls.nowUs();
      expect(await running.run(a, () => codeOf(client.receive()))).toBe('timeout');
      expect(controls.nowUs() - cutAtUs).toBe(30 * SECOND);
      await running.stop();
    });

    it('power cut: the peer is told nothing, and is reset when it sends to the rebooted machine', async () => {
      const { running, a, b, client, controls } = await connected();
      controls.powerCut(b);
      controls.advance(60 * SECOND);
      expect(client.send(Uint8Array.of(1))).toBe(true);
      controls.powerOn(b);
      expect(await running.run(a, () => codeOf(client.receive()))).toBe('reset');
      await running.stop();
    });

    it('killed process: its kernel closes the connection', async () => {
      const { running, a, b, client, controls } = await connected();
      controls.killProcess(b);
      expect(await running.run(a, () => client.receive())).toBeUndefined();
      expect(await running.run(a, () => codeOf(a.platform.net.dial({ address: b.address, port: 7 })))).toBe('refused');
      await running.stop();
    });

    it('stopped process: its kernel acknowledges, and it finds everything when it goes on', async () => {
      const { running, a, b, client, server, controls } = await connected();
      controls.stopProcess(b);
      client.send(Uint8Array.of(1, 2, 3));
      await running.run(a, () => client.drained(0));
      const seen: number[] = [];
      server.consume(
        (segment) => seen.push(...(segment as Uint8Array)),
        () => {},
      );
      controls.advance(SECOND);
      expect(seen).toEqual([]);
      controls.continueProcess(b);
      controls.advance(SECOND);
      expect(seen).toEqual([1, 2, 3]);
      await running.stop();
    });

    it('frozen machine: nothing is acknowledged, and it goes on where it stood', async () => {
      const { running, b, client, server, controls } = await connected();
      controls.freeze(b);
      client.send(Uint8Array.of(1));
      controls.advance(10 * SECOND);
      expect(client.unsentBytes()).toBe(1);
      controls.thaw(b);
      expect(await running.run(b, () => readBytes(server, 1))).toEqual([1]);
      await running.stop();
    });

    it('loopback listener: not reachable from another machine', async () => {
      const { running, a, b } = await connected();
      await running.run(b, () => b.platform.net.listen({ address: '127.0.0.1', port: 99 }));
      const code = await running.run(a, () => codeOf(a.platform.net.dial({ address: b.address, port: 99 })));
      expect(code).toBe('refused');
      await running.stop();
    });
  });
}
