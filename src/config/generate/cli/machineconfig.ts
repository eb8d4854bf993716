/** `machineconfig patch` and `machineconfig gen` (reference/lifecycle-api-cli.md F.2, F.4). */

import { applyPatches } from '../../patch/apply.ts';
import { PatchError } from '../../patch/error.ts';
import { loadPatches } from '../../patch/load.ts';
import { runGenConfig } from './gen-config.ts';
import { CommandError, type CommandOutcome, readFile, runCommand, type Workstation } from './workstation.ts';

export interface MachineConfigPatchOptions {
  /** The file to patch. */
  readonly file: string;
  /** `--patch`, in command-line order. */
  readonly patches: readonly string[];
  /** `--output`; standard output when absent or empty. */
  readonly output?: string;
}

/** Runs `machineconfig patch`. On standard output the text is followed by one more line break. */
export function runMachineConfigPatch(options: MachineConfigPatchOptions, workstation: Workstation): CommandOutcome {
  return runCommand((output) => {
    const read = (path: string): string => readFile(workstation.files, path);
    const { minor } = workstation.tool;
    try {
      const text = read(options.file);
      const patches = loadPatches(options.patches, read, { minor });
      const patched = applyPatches(text, patches, { minor, file: options.file });
      if ((options.output ?? '') === '') output.stdout += `${patched}\n`;
      else output.files.push({ path: options.output!, content: patched, mode: 0o644 });
    } catch (error) {
      if (error instanceof PatchError) throw new CommandError(error.message);
      throw error;
    }
  });
}

/** `machineconfig gen`: `gen config` without flags. */
export function runMachineConfigGen(
  clusterName: string,
  endpoint: string,
  workstation: Workstation,
  force = false,
): CommandOutcome {
  return runGenConfig({ clusterName, endpoint, force }, workstation);
}
