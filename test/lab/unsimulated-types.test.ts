import { expect, it } from 'vitest';
import { unsimulatedTypes } from '../../src/lab/talosctl/unsimulated-types.ts';
import { READABLE_KINDS } from '../../src/nodes/resources/definition.ts';

it('no type of resources that machines have is told of as not simulated', () => {
  expect(READABLE_KINDS.flatMap(({ type }) => unsimulatedTypes(type))).toEqual([]);
  expect(unsimulatedTypes('siderolinkconfigs')).toEqual(['SiderolinkConfigs.siderolink.talos.dev']);
});
