import { applyPatches } from '../../../src/config/patch/apply.ts';
import { loadConfigSet, printConfigSet } from '../../../src/config/patch/config-set.ts';
import { PatchError } from '../../../src/config/patch/error.ts';
import { parsePatch } from '../../../src/config/patch/load.ts';

/** v1.11.3, the default release. */
export const V11 = 11;
/** The newest rules. */
export const MAIN = 15;

/** The config after patches, as text. */
export function patch(config: string, patches: string | readonly string[], minor = V11): string {
  const list = typeof patches === 'string' ? [patches] : patches;
  return applyPatches(
    config,
    list.map((text) => parsePatch(text, { minor })),
    { minor },
  );
}

/** Message of the `PatchError` that patching ends with; other errors pass. */
export function problem(config: string, patches: string | readonly string[], minor = V11): string {
  try {
    patch(config, patches, minor);
  } catch (error) {
    if (error instanceof PatchError) return error.message;
    throw error;
  }
  return 'no problem';
}

/**
 * Decoded values of all documents, for comparing configs whatever their layout. The text is printed and read once more first, because
 * the tool always prints some empty fields.
 */
export function values(text: string, minor = V11) {
  const printed = printConfigSet(loadConfigSet(text, { minor }), minor);
  return loadConfigSet(printed, { minor }).documents.map(({ kind, name, value }) => ({ kind, name, value }));
}
