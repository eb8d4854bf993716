import type { CommandOutcome, Workstation } from '../../config/generate/cli/workstation.ts';
import { TOOL_V1_11_3 } from '../../config/generate/tool-release.ts';
import type { ToolContext } from '../tools/tool.ts';

/** What the offline commands see of the operator's workstation. */
export function workstationOf(context: ToolContext): Workstation {
  const { files, platform } = context;
  return {
    files: {
      cwd: context.cwd,
      readText: (path) => files.readText(inCwd(context, path)),
      exists: (path) => files.exists(inCwd(context, path)),
    },
    crypto: platform.crypto,
    nowSec: Math.floor(platform.clock.nowUs() / 1_000_000),
    tool: TOOL_V1_11_3,
  };
}

/** Writes what a command made and prints what it printed. */
export function conclude(outcome: CommandOutcome, context: ToolContext): number {
  for (const file of outcome.files) context.files.write(inCwd(context, file.path), file.content, file.mode);
  if (outcome.stdout !== '') context.out(outcome.stdout);
  if (outcome.stderr !== '') context.err(outcome.stderr);
  return outcome.exitCode;
}

/** Files of the workspace are named relative to the working directory. */
function inCwd(context: ToolContext, path: string): string {
  const prefix = context.cwd.endsWith('/') ? context.cwd : `${context.cwd}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
