/**
 * `${NAME}` placeholders of templating tools. Talos itself knows none, so they are either filled from an environment
 * file or refused by name. Placeholders inside literal text that belongs to others (inline manifests, extension files,
 * pod definitions) are left alone, since shells and programs use the same form.
 */
import { type ConfigError, formatPath, type PathStep } from './errors.ts';
import { deref, keyText, type YamlNode } from './yaml/node.ts';
import { readYaml } from './yaml/read.ts';

/** Values by name. */
export type EnvSource = Readonly<Record<string, string>>;

export interface Filled {
  readonly text: string;
  readonly errors: readonly ConfigError[];
}

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*))?\}/g;

/** Keys whose text is taken literally. */
const LITERAL_KEYS: readonly string[] = Object.freeze([
  'contents',
  'content',
  'inlineManifests',
  'pods',
  'configFiles',
]);

/** Fills placeholders, or reports each that has no value. Without a source every placeholder is reported. */
export function fillPlaceholders(text: string, file: string, env: EnvSource | undefined): Filled {
  if (!text.includes('${')) {
    return { text, errors: [] };
  }
  const filled = env === undefined ? text : substitute(text, env);
  const hint = (name: string): string =>
    env === undefined
      ? `give it with --env-file, or write the value in place of \${${name}}`
      : 'add it to the environment file';
  const errors = unfilled(filled).map(
    ({ name, path, line, column }): ConfigError => ({
      file,
      line,
      column,
      path,
      message: `placeholder \${${name}} has no value`,
      hint: hint(name),
    }),
  );
  return { text: filled, errors };
}

interface Unfilled {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Placeholders that Talos would read. What belongs to others may keep them. */
function unfilled(text: string): Unfilled[] {
  const stream = readYaml(text);
  const found: Unfilled[] = [];
  const report = (name: string, path: string, offset: number): void => {
    found.push({ name, path, ...stream.lines.at(offset) });
  };
  // A placeholder inside `{…}` is not even YAML; then the line that cannot be read says which one it is.
  for (const problem of stream.problems) {
    const start = text.lastIndexOf('\n', problem.offset - 1) + 1;
    const line = text.slice(start).split('\n', 1)[0]!;
    for (const match of line.matchAll(PLACEHOLDER)) report(match[1]!, '', start + match.index);
  }
  const visit = (node: YamlNode, path: readonly PathStep[]): void => {
    const target = deref(node);
    if (target.kind === 'list') {
      for (const [index, item] of target.items.entries()) {
        visit(item, [...path, index]);
      }
    } else if (target.kind === 'map') {
      for (const { key, value } of target.entries) {
        const name = keyText(key) ?? '';
        if (!LITERAL_KEYS.includes(name)) {
          visit(value, [...path, name]);
        }
      }
    } else {
      let from = target.offset;
      for (const match of target.text.matchAll(PLACEHOLDER)) {
        const at = text.indexOf(match[0], from);
        report(match[1]!, formatPath(path), at < 0 ? target.offset : at);
        if (at >= 0) from = at + match[0].length;
      }
    }
  };
  for (const document of stream.problems.length > 0 ? [] : stream.documents) {
    if (document.root !== undefined) {
      visit(document.root, []);
    }
  }
  return found;
}

/** Puts in what has a value or a default; a comment's placeholders need none. */
function substitute(text: string, env: EnvSource): string {
  const lines = text
    .split('\n')
    .map((line) =>
      /^\s*#/.test(line)
        ? line
        : line.replace(
            PLACEHOLDER,
            (whole, name: string, fallback: string | undefined) =>
              (Object.hasOwn(env, name) ? env[name] : fallback) ?? whole,
          ),
    );
  return lines.join('\n');
}

/** Parses `NAME=value` lines: comments, blank lines, an optional `export`, quotes around the value. */
export function parseEnvFile(text: string): EnvSource {
  const values: Record<string, string> = Object.create(null);
  for (const line of text.split('\n')) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (match !== null) {
      const value = match[2]!;
      const quoted = /^(["'])(.*)\1$/.exec(value);
      values[match[1]!] = quoted === null ? value.replace(/\s+#.*$/, '') : quoted[2]!;
    }
  }
  return values;
}
