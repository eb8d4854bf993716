import { ApplyMode } from '../../../api/machine/lifecycle.ts';
import { MachineService } from '../../../api/machine/services.ts';
import { printCommented } from '../../../config/generate/commented.ts';
import { TOOL_V1_11_3 } from '../../../config/generate/tool-release.ts';
import { applyPatchesToSet } from '../../../config/patch/apply.ts';
import { loadConfigSet } from '../../../config/patch/config-set.ts';
import { PatchError } from '../../../config/patch/error.ts';
import { parsePatch } from '../../../config/patch/load.ts';
import { utf8Encode } from '../../../platform/bytes.ts';
import type { Task } from '../../../platform/task.ts';
import { specOf } from '../resource-text.ts';
import { getResource } from '../resources.ts';
import { CommandFailure } from '../run.ts';
import { explained, type Upgrade } from './run.ts';

/** Where the image of a component stands in a machine config. */
export type ImagePlace = readonly string[];

/**
 * Puts an image into the config of a node and applies it without a reboot; without an image the config goes back as it is.
 * Everything is written anew, by default with comments in it. Throws CommandFailure.
 */
export function* patchNodeConfig(
  upgrade: Upgrade,
  node: string,
  change: { readonly place: ImagePlace; readonly image: string } | undefined,
): Task<void> {
  const { talos } = upgrade.cluster;
  const reference = { namespace: 'config', type: 'MachineConfigs.config.talos.dev', id: 'v1alpha1' };
  const found = yield* explained('error fetching config resource', getResource(talos, node, reference));
  const request = {
    data: utf8Encode(changed(String(specOf(found)), upgrade, change)),
    mode: ApplyMode.NoReboot,
    dryRun: false,
    tryModeTimeout: null,
  };
  yield* explained('error applying config', talos.single(MachineService.ApplyConfiguration, request, node));
}

function changed(
  text: string,
  { options }: Upgrade,
  change: { readonly place: ImagePlace; readonly image: string } | undefined,
): string {
  const { minor } = TOOL_V1_11_3;
  try {
    const set =
      change === undefined
        ? loadConfigSet(text, { minor })
        : applyPatchesToSet(text, [parsePatch(JSON.stringify(nested(change.place, change.image)), { minor })], {
            minor,
          });
    return printCommented(set, { minor, docs: options.withDocs, examples: options.withExamples });
  } catch (error) {
    if (error instanceof PatchError) throw new CommandFailure(`error patching config: ${error.message}`);
    throw error;
  }
}

function nested(place: ImagePlace, image: string): unknown {
  return place.reduceRight<unknown>((inner, key) => ({ [key]: inner }), { image });
}
