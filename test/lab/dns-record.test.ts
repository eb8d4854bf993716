import { expect, it } from 'vitest';
import { createSimRpc } from '../../src/rpc/over-connections/rpc.ts';
import { createSimCrypto } from '../../src/sim/crypto/crypto.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { WorldFaults } from '../../src/world/faults.ts';
import type { WorldSpec } from '../../src/world/spec.ts';

const NAME = 'api.example';

it('of several changes to a record the latest that has not ended counts, and none is left after all have', () => {
  const crypto = createSimCrypto('verification');
  const simulation = new Simulation({
    seed: '1',
    createRpc: (deps) => createSimRpc({ ...deps, crypto }),
    images: () => undefined,
    digest: 'fast',
  });
  const zone = new Map<string, readonly string[]>([[NAME, ['10.0.0.77']]]);
  const faults = new WorldFaults(simulation, { machines: [] } as unknown as WorldSpec, zone);
  const change = (address: string, forUs?: number) =>
    faults.apply({
      fault: 'dns-record',
      machines: [],
      record: NAME,
      addresses: [address],
      ...(forUs !== undefined && { forUs }),
    });

  change('10.0.0.50', 10_000_000);
  const second = change('10.0.0.60');
  expect(zone.get(NAME)).toEqual(['10.0.0.60']);
  simulation.runFor(20_000_000);
  expect(zone.get(NAME)).toEqual(['10.0.0.60']);
  change('10.0.0.61');
  second();
  expect(zone.get(NAME)).toEqual(['10.0.0.61']);
  faults.healAll();
  expect(zone.get(NAME)).toEqual(['10.0.0.77']);
});
