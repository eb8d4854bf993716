/** Command line of a Kubernetes component: `--name=value` only, as Talos writes it. */
export interface ComponentFlags {
  readonly values: Readonly<Record<string, string>>;
}

/** Reads flags; a complaint in the component's own words when one is not known. */
export function parseComponentFlags(argv: readonly string[], known: readonly string[]): ComponentFlags | string {
  const values: Record<string, string> = {};
  for (const argument of argv.slice(1)) {
    const match = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(argument);
    if (match === null) return `Error: unknown command "${argument}"`;
    const [, name = '', value = 'true'] = match;
    if (!known.includes(name)) return `Error: unknown flag: --${name}`;
    values[name] = value;
  }
  return { values };
}
