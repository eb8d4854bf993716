/**
 * Evaluates a JSONPath template as kubectl and talosctl print it: text with `{…}` expressions of `.field`, `['field']`,
 * `[index]`, `[*]`, `[from:to]`, `[?(@.field=="value")]`, `{range …}…{end}`. Several results are joined by spaces.
 */
export function evaluateJsonPath(template: string, root: unknown): string {
  const text = template.includes('{') ? template : `{${template}}`;
  return new Renderer(text).render(root);
}

class Renderer {
  #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  render(root: unknown): string {
    return this.#until(undefined, root);
  }

  /** Renders until `{end}` (inside a range) or the end of the text. */
  #until(stop: 'end' | undefined, value: unknown): string {
    let out = '';
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf('{', this.#at);
      if (open < 0) {
        out += this.#text.slice(this.#at);
        this.#at = this.#text.length;
        return out;
      }
      out += this.#text.slice(this.#at, open);
      const close = this.#text.indexOf('}', open);
      const expression = this.#text.slice(open + 1, close < 0 ? undefined : close).trim();
      this.#at = close < 0 ? this.#text.length : close + 1;
      if (expression === 'end' && stop === 'end') return out;
      if (expression.startsWith('range ')) out += this.#range(expression.slice('range '.length).trim(), value);
      else out += literal(expression) ?? printAll(select(expression, value));
    }
    return out;
  }

  #range(expression: string, value: unknown): string {
    const body = this.#at;
    const items = select(expression, value);
    let out = '';
    let after = body;
    for (const item of items) {
      this.#at = body;
      out += this.#until('end', item);
      after = this.#at;
    }
    if (items.length === 0) {
      this.#at = body;
      this.#until('end', undefined);
      after = this.#at;
    }
    this.#at = after;
    return out;
  }
}

function literal(expression: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(expression);
  return quoted === null
    ? undefined
    : quoted[1]!.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"');
}

/** The values that a path selects. */
function select(path: string, root: unknown): unknown[] {
  let values: unknown[] = [root];
  const tokens = path.matchAll(
    /\.\.?([A-Za-z0-9_/-]+)|\['([^']+)'\]|\[\*\]|\.\*|\[\?\(@\.([^=]+?)\s*==\s*"?([^")]*)"?\)\]|\[(-?\d*):(-?\d*)\]|\[(-?\d+)\]/g,
  );
  for (const token of tokens) {
    const [whole, name, quotedName, filterPath, filterValue, from, to, index] = token;
    const field = name ?? quotedName;
    if (field !== undefined) values = values.flatMap((value) => fieldOf(value, field));
    else if (whole === '[*]' || whole === '.*') values = values.flatMap(children);
    else if (filterPath !== undefined)
      values = values.flatMap(children).filter((value) => printAll(select(`.${filterPath}`, value)) === filterValue);
    else if (index !== undefined)
      values = values.flatMap((value) => (Array.isArray(value) ? value.slice(Number(index)).slice(0, 1) : []));
    else
      values = values.flatMap((value) =>
        Array.isArray(value) ? value.slice(from === '' ? 0 : Number(from), to === '' ? undefined : Number(to)) : [],
      );
  }
  return values;
}

function fieldOf(value: unknown, field: string): unknown[] {
  if (typeof value !== 'object' || value === null || !(field in value)) return [];
  return [(value as Record<string, unknown>)[field]];
}

function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function printAll(values: readonly unknown[]): string {
  return values
    .map((value) =>
      typeof value === 'object' && value !== null
        ? JSON.stringify(value)
        : value === null || value === undefined
          ? ''
          : String(value),
    )
    .join(' ');
}
