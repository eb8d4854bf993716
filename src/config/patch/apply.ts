/** Applying patches one after the other (reference/network-config.md E.10). */

import { type ConfigSet, loadConfigSet, printConfigSet } from './config-set.ts';
import { PatchError } from './error.ts';
import { applyJsonPatch } from './json-patch.ts';
import { jsonOfYaml } from './json-value.ts';
import { printJsonAsYaml } from './json-yaml.ts';
import type { Patch, PatchOptions } from './load.ts';
import { applyStrategic } from './strategic.ts';

/** A config to be patched: text, or documents that were loaded before. */
export type PatchInput = string | ConfigSet;

/**
 * Applies patches and returns the config as text. Without patches the text is the given one, byte for byte. A strategic patch
 * works on documents, a JSON patch on text; between the two the config is written out or read again, as the real tool does it.
 * Throws `PatchError`.
 */
export function applyPatches(input: PatchInput, patches: readonly Patch[], options: PatchOptions): string {
  const result = patchInput(input, patches, options);
  return typeof result === 'string' ? result : printConfigSet(result, options.minor);
}

/** As `applyPatches`, but returns documents. */
export function applyPatchesToSet(input: PatchInput, patches: readonly Patch[], options: PatchOptions): ConfigSet {
  const result = patchInput(input, patches, options);
  return typeof result === 'string' ? loadConfigSet(result, options) : result;
}

function patchInput(input: PatchInput, patches: readonly Patch[], options: PatchOptions): PatchInput {
  let at = input;
  for (const patch of patches) {
    if (patch.type === 'strategic') {
      const set = typeof at === 'string' ? loadConfigSet(at, options) : at;
      at = applyStrategic(set, patch, options.minor);
    } else {
      const text = typeof at === 'string' ? at : printConfigSet(at, options.minor);
      at = patchText(text, patch.operations);
    }
  }
  return at;
}

function patchText(text: string, operations: Parameters<typeof applyJsonPatch>[1]): string {
  const root = jsonOfYaml(text);
  try {
    return printJsonAsYaml(applyJsonPatch(root, operations));
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError(`failure applying rfc6902 patches to talos machine config: ${error.message}`);
  }
}
