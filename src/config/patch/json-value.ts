/** YAML text to JSON values, as the library behind JSON patches reads it: YAML 1.1 words are booleans, keys are text. */

import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { deref, keyText, type ScalarNode, type YamlNode } from '../yaml/node.ts';
import { readYaml, type YamlStream } from '../yaml/read.ts';
import { PatchError } from './error.ts';
import { define } from './merge-free.ts';

/** The single document of a text as a JSON value; throws `PatchError` when there is not exactly one. */
export function jsonOfYaml(text: string): ConfigValue {
  const stream = readYaml(text);
  const problem = syntaxError(stream);
  if (problem !== undefined) throw new PatchError(`failure decoding talos machine config: ${problem}`);
  if (stream.documents.length !== 1) {
    throw new PatchError('JSON6902 patches are not supported for multi-document machine configuration');
  }
  const root = stream.documents[0]!.root;
  return root === undefined ? null : jsonOfNode(root, text);
}

/** First syntax problem in the words of the YAML library. */
function syntaxError(stream: YamlStream): string | undefined {
  const problem = stream.problems[0];
  return problem === undefined ? undefined : `yaml: line ${stream.lines.at(problem.offset).line}: ${problem.message}`;
}

const TRUE_WORD = /^(?:y|Y|yes|Yes|YES|on|On|ON)$/;
const FALSE_WORD = /^(?:n|N|no|No|NO|off|Off|OFF)$/;

/** A node as a JSON value; `text` is the source, which tells quoted scalars from plain ones. */
export function jsonOfNode(node: YamlNode, text: string): ConfigValue {
  const target = deref(node);
  if (target.kind === 'scalar') return jsonOfScalar(target, text);
  if (target.kind === 'list') return target.items.map((item) => jsonOfNode(item, text));
  const object: Record<string, ConfigValue> = {};
  for (const { key, value } of target.entries) {
    if (key.kind === 'scalar' && key.tag === 'merge') mergeInto(object, jsonOfNode(value, text));
    else define(object, keyText(key) ?? '', jsonOfNode(value, text));
  }
  return object;
}

function mergeInto(object: Record<string, ConfigValue>, source: ConfigValue): void {
  const sources = Array.isArray(source) ? source : [source];
  for (const one of sources) {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) continue;
    for (const [key, value] of Object.entries(one as ConfigObject))
      if (!Object.hasOwn(object, key)) define(object, key, value);
  }
}

function jsonOfScalar(node: ScalarNode, text: string): ConfigValue {
  const isPlain = !/^["'|>!&]/.test(text.slice(node.offset, node.offset + 1));
  if (!isPlain) return node.value;
  // This library does not know the newer octal notation and keeps such a number as text.
  if (/^[-+]?0o[0-7]+$/.test(node.text)) return node.text;
  if (node.tag !== 'str') return node.value;
  if (TRUE_WORD.test(node.text)) return true;
  return FALSE_WORD.test(node.text) ? false : node.value;
}
