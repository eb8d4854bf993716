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
  if (env !== undefined) {
    return substitute(text, file, env);
  }
  const stream = readYaml(text);
  const errors: ConfigError[] = [];
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
      for (const match of target.text.matchAll(PLACEHOLDER)) {
        const { line, column } = stream.lines.at(target.offset);
        const message = `placeholder \${${match[1]}} has no value`;
        const hint = `give it with --env-file, or write the value in place of \${${match[1]}}`;
        errors.push({ file, line, column, path: formatPath(path), message, hint });
      }
    }
  };
  for (const document of stream.documents) {
    if (document.root !== undefined) {
      visit(document.root, []);
    }
  }
  return { text, errors };
}

function substitute(text: string, file: string, env: EnvSource): Filled {
  const errors: ConfigError[] = [];
  const lines = text.split('\n').map((line, index) =>
    // A comment's placeholders need no value.
    /^\s*#/.test(line)
      ? line
      : line.replace(PLACEHOLDER, (whole, name: string, fallback: string | undefined, at: number) => {
          const value = Object.hasOwn(env, name) ? env[name] : fallback;
          if (value === undefined) {
            const message = `placeholder \${${name}} has no value`;
            errors.push({
              file,
              line: index + 1,
              column: at + 1,
              path: '',
              message,
              hint: 'add it to the environment file',
            });
          }
          return value ?? whole;
        }),
  );
  return { text: lines.join('\n'), errors };
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
