/** Scalars of typed fields, with the conversions of Go's yaml.v3 (issue: Go-style YAML scalars). */
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import type { IntKind, TextCodec, Type } from '../schema/types.ts';
import { type ScalarNode, shortTag, type YamlNode } from '../yaml/node.ts';
import { compact } from '../yaml/resolve.ts';
import { type DecodeContext, report, reportType } from './context.ts';

/** Any scalar becomes its source text; only collections are refused. */
export function decodeString(context: DecodeContext, goType: string, node: YamlNode): string | undefined {
  if (node.kind !== 'scalar') {
    reportType(context, node, shortTag(node), goType, 'a string is expected here');
    return undefined;
  }
  return scalarText(context, node);
}

function scalarText(context: DecodeContext, node: ScalarNode): string | undefined {
  if (node.tag !== 'binary') {
    return node.text;
  }
  const bytes = decodeBase64(node.text);
  if (bytes === null) {
    report(context, node, '!!binary value contains invalid base64 data', '');
    return undefined;
  }
  return utf8Decode(bytes);
}

const TRUE_WORDS: readonly string[] = Object.freeze(['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON']);
const FALSE_WORDS: readonly string[] = Object.freeze(['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF']);

export function decodeBool(context: DecodeContext, node: YamlNode): boolean | undefined {
  if (node.kind === 'scalar') {
    if (node.tag === 'bool') {
      return node.value as boolean;
    }
    if (node.tag === 'str' && TRUE_WORDS.includes(node.text)) {
      return true;
    }
    if (node.tag === 'str' && FALSE_WORDS.includes(node.text)) {
      return false;
    }
  }
  reportType(context, node, shortTag(node), 'bool', 'true or false is expected here');
  return undefined;
}

const RANGES: Readonly<Record<IntKind, readonly [low: bigint, high: bigint]>> = Object.freeze({
  int: [-9223372036854775808n, 9223372036854775807n],
  int32: [-(1n << 31n), (1n << 31n) - 1n],
  int64: [-9223372036854775808n, 9223372036854775807n],
  uint: [0n, 18446744073709551615n],
  uint8: [0n, 255n],
  uint16: [0n, 65535n],
  uint32: [0n, 4294967295n],
  uint64: [0n, 18446744073709551615n],
});

/** Integers; a float is cut to its whole part, a quoted number is refused. */
export function decodeInt(
  context: DecodeContext,
  type: Extract<Type, { kind: 'int' }>,
  node: YamlNode,
): number | bigint | undefined {
  const value = node.kind === 'scalar' ? wholeNumber(node) : undefined;
  const [low, high] = RANGES[type.int];
  if (value === undefined || value < low || value > high) {
    const hint = value === undefined ? 'a number without quotes is expected here' : `allowed are ${low} to ${high}`;
    reportType(context, node, shortTag(node), type.goType, hint);
    return undefined;
  }
  return compact(value);
}

function wholeNumber(node: ScalarNode): bigint | undefined {
  if (node.tag === 'int') {
    return BigInt(node.value as number | bigint);
  }
  if (node.tag === 'float' && Number.isFinite(node.value)) {
    return BigInt(Math.trunc(node.value as number));
  }
  return undefined;
}

/** Scalars with a text form of their own. */
export function decodeText(
  context: DecodeContext,
  codec: TextCodec,
  node: YamlNode,
): string | number | bigint | undefined {
  if (node.kind !== 'scalar' || (codec.via === 'duration' && node.tag !== 'str')) {
    reportType(
      context,
      node,
      shortTag(node),
      codec.via === 'string' ? 'string' : codec.goType,
      `expected: ${codec.name}`,
    );
    return undefined;
  }
  const text = scalarText(context, node);
  if (text === undefined) {
    return undefined;
  }
  const result = codec.decode(text);
  if (!('error' in result)) {
    return result.value;
  }
  if (codec.via === 'duration') {
    reportType(context, node, shortTag(node), codec.goType, result.error);
  } else {
    context.fatal ??= result.error;
    report(context, node, result.error, `expected: ${codec.name}`);
  }
  return undefined;
}

/** A program argument: text, or from v1.12 on a list of texts (reference/v1.11.3.md 11.2). */
export function decodeArgument(context: DecodeContext, node: YamlNode): string | readonly string[] | undefined {
  if (node.kind === 'list' && context.minor >= 12) {
    const items = node.items.map((item) => decodeString(context, 'string', item.kind === 'alias' ? item.target : item));
    return items.filter((item) => item !== undefined);
  }
  if (node.kind === 'list') {
    reportType(context, node, '!!seq', 'string', 'a list of values is accepted from v1.12 on');
    return undefined;
  }
  return decodeString(context, 'string', node);
}
