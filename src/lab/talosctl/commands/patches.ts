import { TOOL_V1_11_3 } from '../../../config/generate/tool-release.ts';
import { applyPatches } from '../../../config/patch/apply.ts';
import { PatchError } from '../../../config/patch/error.ts';
import { loadPatches } from '../../../config/patch/load.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { CommandFailure } from '../run.ts';

/** The config text with the patches of `--config-patch` applied; the text itself when there are none. */
export function patchedConfig(text: string, values: readonly string[], context: ToolContext): string {
  if (values.length === 0) return text;
  const read = (path: string): string => {
    const patch = context.files.readText(path);
    if (patch === undefined) throw new CommandFailure(`open ${path}: no such file or directory`);
    return patch;
  };
  const { minor } = TOOL_V1_11_3;
  try {
    return applyPatches(text, loadPatches(values, read, { minor }), { minor });
  } catch (error) {
    if (error instanceof PatchError) throw new CommandFailure(error.message);
    throw error;
  }
}
