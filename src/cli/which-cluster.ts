import type { Command } from 'commander';
import { BadInput } from '../runner/bad-input.ts';
import { type OpenedScenario, openCluster, openScenario } from '../runner/scenario-file.ts';
import { machinesOption } from './options.ts';
import { defaultScenario } from './places.ts';

/** Flags that make a cluster by its size in place of a scenario file. */
export interface SizeFlags {
  readonly controlPlanes?: number;
  readonly workers?: number;
}

export function withSizeOptions(command: Command): Command {
  return command
    .option('--control-planes <n>', 'no file: a cluster with that many control planes', machinesOption(1))
    .option('--workers <n>', 'no file: a cluster with that many workers', machinesOption(0));
}

/** The scenario of a file, of a size, or else the bring-up of five machines. */
export function whichCluster(file: string | undefined, flags: SizeFlags): OpenedScenario {
  const { controlPlanes, workers } = flags;
  if (controlPlanes === undefined && workers === undefined) return openScenario(file ?? defaultScenario());
  if (file !== undefined)
    throw new BadInput(`${file}: its machines stand in it; leave --control-planes and --workers out`);
  return openCluster({ controlPlanes: controlPlanes ?? 3, workers: workers ?? 0 });
}
