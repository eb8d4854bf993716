import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatches, applyPatchesToSet } from '../../../src/config/patch/apply.ts';
import { type ConfigSet, loadConfigSet, printConfigSet } from '../../../src/config/patch/config-set.ts';
import { PatchError } from '../../../src/config/patch/error.ts';
import { parsePatch } from '../../../src/config/patch/load.ts';
import { mergeStruct } from '../../../src/config/patch/merge.ts';
import { documentSpecs } from '../../../src/config/schema/registry.ts';
import type { ConfigObject, StructSpec } from '../../../src/config/schema/types.ts';
import { legacyDocument } from '../../../src/config/schema/v1alpha1/root.ts';
import { byTier } from '../../support/tier.ts';
import { anyStruct } from './arbitrary.ts';
import { MAIN, V11 } from './helpers.ts';

const RUNS = byTier(60, 2_000, 2_000);
/** What comes out, or the message of the `PatchError`. */
function attempt(run: () => string): string {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(PatchError);
    return (error as PatchError).message;
  }
}

const STRUCTS: readonly StructSpec[] = [legacyDocument, ...documentSpecs].map((spec) => spec.struct);
const MINORS = [8, V11, 12, MAIN];

function setOf(value: ConfigObject): ConfigSet {
  return { documents: [{ kind: legacyDocument.kind, apiVersion: '', name: '', spec: legacyDocument, value }] };
}

function textOf(value: ConfigObject, minor: number): string {
  return printConfigSet(setOf(value), minor);
}

describe('laws of the strategic merge (reference/network-config.md E.10)', () => {
  it.each(MINORS)('a patch without content changes nothing but flags and copied fields (v1.%i)', (minor) => {
    for (const struct of STRUCTS) {
      fc.assert(
        fc.property(anyStruct(struct, { minor, steady: true }), (left) => {
          expect(mergeStruct(struct, left, {}, minor)).toEqual(left);
        }),
        { numRuns: struct === legacyDocument.struct ? RUNS : RUNS / 10 },
      );
    }
  });

  it.each(MINORS)('merged into nothing a patch is itself (v1.%i)', (minor) => {
    for (const struct of STRUCTS) {
      fc.assert(
        fc.property(anyStruct(struct, { minor }), (right) => {
          expect(mergeStruct(struct, {}, right, minor)).toEqual(right);
        }),
        { numRuns: struct === legacyDocument.struct ? RUNS : RUNS / 10 },
      );
    }
  });

  it('never changes what it is given', () => {
    const { struct } = legacyDocument;
    fc.assert(
      fc.property(anyStruct(struct, { minor: V11 }), anyStruct(struct, { minor: V11 }), (left, right) => {
        const before = JSON.stringify([left, right]);
        try {
          mergeStruct(struct, left, right, V11);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect(JSON.stringify([left, right])).toBe(before);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('laws of patching text', () => {
  const value = anyStruct(legacyDocument.struct, { minor: V11 });

  it('what is printed reads back and prints the same', () => {
    fc.assert(
      fc.property(value, (one) => {
        const text = textOf(one, V11);
        expect(printConfigSet(loadConfigSet(text, { minor: V11 }), V11)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('no patches: the same bytes, with comments and all', () => {
    const text = '# kept\nmachine:   {type: worker}\n\n\n';
    expect(applyPatches(text, [], { minor: V11 })).toBe(text);
  });

  it.each([V11, MAIN])('patches work one after the other: together or in two steps is the same (v1.%i)', (minor) => {
    const any = anyStruct(legacyDocument.struct, { minor });
    fc.assert(
      fc.property(any, any, any, (config, first, second) => {
        const text = textOf(config, minor);
        const patches = [first, second].map((one) => parsePatch(textOf(one, minor), { minor }));
        const together = attempt(() => applyPatches(text, patches, { minor }));
        const stepwise = attempt(() => {
          const between = applyPatches(text, patches.slice(0, 1), { minor });
          return applyPatches(between, patches.slice(1), { minor });
        });
        expect(stepwise).toBe(together);
      }),
      { numRuns: RUNS },
    );
  });

  it('text and documents give the same', () => {
    fc.assert(
      fc.property(value, value, (config, change) => {
        const text = textOf(config, V11);
        const patches = [parsePatch(textOf(change, V11), { minor: V11 })];
        const set = loadConfigSet(text, { minor: V11 });
        const fromSet = attempt(() => printConfigSet(applyPatchesToSet(set, patches, { minor: V11 }), V11));
        expect(attempt(() => applyPatches(text, patches, { minor: V11 }))).toBe(fromSet);
      }),
      { numRuns: RUNS },
    );
  });

  it('damaged text fails with a PatchError or not at all', () => {
    const change = fc.record({
      at: fc.nat(2000),
      drop: fc.nat(5),
      add: fc.constantFrom(
        '',
        ':',
        '- ',
        '\n',
        '  ',
        '{',
        '}',
        '[',
        ']',
        '"',
        "'",
        '&a ',
        '*a',
        '<<: ',
        '!!int ',
        '\t',
        '$patch: delete',
      ),
    });
    fc.assert(
      fc.property(value, fc.array(change, { maxLength: 4 }), fc.boolean(), (one, changes, isPatch) => {
        let text = textOf(one, V11);
        for (const { at, drop, add } of changes) {
          const from = at % (text.length + 1);
          text = text.slice(0, from) + add + text.slice(from + drop);
        }
        try {
          const patch = parsePatch(isPatch ? text : 'machine: {type: worker}\n', { minor: V11 });
          applyPatches(isPatch ? 'machine: {type: worker}\n' : text, [patch], { minor: V11 });
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
      }),
      { numRuns: RUNS * 4 },
    );
  });
});
