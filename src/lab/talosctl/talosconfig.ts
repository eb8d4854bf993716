import { parse } from 'yaml';
import { z } from 'zod';
import type { TalosconfigContext } from '../../config/generate/talosconfig.ts';
import type { ToolContext } from '../tools/tool.ts';

export interface Talosconfig {
  readonly context: string;
  readonly contexts: Readonly<Record<string, TalosconfigContext>>;
}

const names = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);
const schema = z.object({
  context: z.string().default(''),
  contexts: z
    .record(
      z.string(),
      z.object({
        endpoints: names,
        nodes: z.array(z.string()).optional(),
        ca: z.string().optional(),
        crt: z.string().optional(),
        key: z.string().optional(),
      }),
    )
    .default({}),
});

/** Where the file is looked for: `--talosconfig`, else TALOSCONFIG, else the home directory. */
export function talosconfigPath(flagValue: string, context: ToolContext): string {
  if (flagValue !== '') return flagValue;
  return context.env.get('TALOSCONFIG') ?? `${context.env.get('HOME') ?? ''}/.talos/config`;
}

/** Reads a talosconfig. Returns the real tool's complaint when it cannot be used. */
export function readTalosconfig(text: string | undefined, path: string): Talosconfig | string {
  if (text === undefined) return `failed to open config file "${path}": open ${path}: no such file or directory`;
  if (text.trim() === '') return 'talos config file is empty';
  let raw: unknown;
  try {
    raw = parse(text);
  } catch (error) {
    return `failed to parse config file "${path}": ${error instanceof Error ? error.message.split('\n', 1)[0] : 'invalid YAML'}`;
  }
  const parsed = schema.safeParse(raw);
  return parsed.success ? parsed.data : `failed to parse config file "${path}": ${parsed.error.issues[0]!.message}`;
}

/** Adds every context of `from`; a name that exists becomes `name-1`, `name-2`, …. The current context becomes that of `from`. */
export function mergeTalosconfig(
  into: Talosconfig,
  from: Talosconfig,
): { readonly merged: Talosconfig; readonly renamed: readonly [string, string][] } {
  const contexts: Record<string, TalosconfigContext> = { ...into.contexts };
  const renamed: [string, string][] = [];
  let current = from.context;
  for (const [name, context] of Object.entries(from.contexts)) {
    let target = name;
    for (let n = 1; contexts[target] !== undefined; n++) target = `${name}-${n}`;
    if (target !== name) renamed.push([name, target]);
    if (name === from.context) current = target;
    contexts[target] = context;
  }
  return { merged: { context: current, contexts }, renamed };
}
