import type { ConfigError, Path, PathStep } from '../errors.ts';
import { formatPath } from '../errors.ts';
import type { LineIndex } from '../yaml/lines.ts';
import { deref, type YamlNode } from '../yaml/node.ts';

/** What one decoding run carries: the release, where it is, and what it has found wrong. */
export interface DecodeContext {
  readonly file: string;
  readonly lines: LineIndex;
  readonly minor: number;
  readonly path: PathStep[];
  readonly errors: ConfigError[];
  /** Lines of the real tool's `unmarshal errors`, in the order it would print them. */
  readonly unmarshal: string[];
  /** First error of a custom unmarshaller: the real tool stops there and prints only that. */
  fatal: string | undefined;
  /** Above zero while decoding what an alias stands for: unknown keys go unnoticed there (real tool's quirk). */
  aliasDepth: number;
}

export function report(context: DecodeContext, node: YamlNode, message: string, hint: string): void {
  reportAt(context, node.offset, context.path, message, hint);
}

export function reportAt(
  context: Pick<DecodeContext, 'file' | 'lines' | 'errors'>,
  offset: number,
  path: Path,
  message: string,
  hint: string,
): void {
  const { line, column } = context.lines.at(offset);
  context.errors.push({ file: context.file, line, column, path: formatPath(path), message, hint });
}

/** A value of the wrong kind: the message is the one of Go's YAML decoder. */
export function reportType(context: DecodeContext, node: YamlNode, tag: string, goType: string, hint: string): void {
  const target = deref(node);
  const message = `cannot unmarshal ${tag}${target.kind === 'scalar' ? ` ${excerpt(target.text)}` : ''} into ${goType}`;
  context.unmarshal.push(`line ${context.lines.at(target.offset).line}: ${message}`);
  report(context, node, message, hint);
}

/** Long values are cut to seven characters, as the real decoder prints them. */
function excerpt(text: string): string {
  return text.length > 10 ? `\`${text.slice(0, 7)}...\`` : `\`${text}\``;
}
