/** Whatever a document of a later kind holds, it is checked to an end, and each finding stands in a place of the document. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { documentSpecs } from '../../../src/config/schema/registry.ts';
import { locateFinding, validate } from '../../../src/config/validate/validate.ts';
import { parseVersion } from '../../../src/config/version.ts';
import { anyStruct } from '../patch/arbitrary.ts';

const version = parseVersion('v1.14.0')!;
const later = documentSpecs.filter((spec) => spec.since > 11);

test.each(later.map((spec) => [spec.kind, spec] as const))('%s', (kind, spec) => {
  const run = (value: object): number => {
    const held = { ...value, apiVersion: 'v1alpha1', kind };
    const text = JSON.stringify(held, (_, item) => (typeof item === 'bigint' ? item.toString() : item));
    const result = loadConfig(text, { version });
    if ('errors' in result) return 0;
    const { errors, warnings } = validate(result.config, { mode: 'metal', onNode: true });
    for (const finding of [...errors, ...warnings]) {
      expect(finding.message).not.toMatch(/undefined|\[object|NaN/);
      expect(locateFinding(result.config, finding)).toMatchObject({ message: finding.message });
    }
    return 1;
  };
  let loaded = run({ name: 'a' });
  fc.assert(
    fc.property(anyStruct(spec.struct, { minor: 14 }), (value) => {
      loaded += run(value);
    }),
    { numRuns: 6 },
  );
  expect(loaded).toBeGreaterThan(0);
});
