import { Document, parse } from 'yaml';
import { z } from 'zod';
import type { ToolContext } from '../tools/tool.ts';

/** A context of the talosconfig file (reference/lifecycle-api-cli.md F.5). */
export interface TalosContext {
  readonly endpoints: readonly string[];
  readonly nodes?: readonly string[] | undefined;
  /** PEM in base64. */
  readonly ca?: string | undefined;
  readonly crt?: string | undefined;
  readonly key?: string | undefined;
}

export interface Talosconfig {
  readonly context: string;
  readonly contexts: Readonly<Record<string, TalosContext>>;
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

/** Prints a talosconfig as the real tool writes it: contexts sorted, four spaces. */
export function printTalosconfig(config: Talosconfig): string {
  const contexts: Record<string, TalosContext> = {};
  for (const name of Object.keys(config.contexts).toSorted()) contexts[name] = withoutAbsent(config.contexts[name]!);
  const document = new Document({ context: config.context, contexts });
  return document.toString({ indent: 4, lineWidth: 0 });
}

function withoutAbsent(context: TalosContext): TalosContext {
  return {
    endpoints: context.endpoints,
    ...(context.nodes !== undefined && context.nodes.length > 0 && { nodes: context.nodes }),
    ...(context.ca !== undefined && { ca: context.ca }),
    ...(context.crt !== undefined && { crt: context.crt }),
    ...(context.key !== undefined && { key: context.key }),
  };
}

/** Adds every context of `from`; a name that exists becomes `name-1`, `name-2`, …. The current context becomes that of `from`. */
export function mergeTalosconfig(
  into: Talosconfig,
  from: Talosconfig,
): { readonly merged: Talosconfig; readonly renamed: readonly [string, string][] } {
  const contexts: Record<string, TalosContext> = { ...into.contexts };
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
