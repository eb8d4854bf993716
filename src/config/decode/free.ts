/** Free-form values (`Unstructured`): whatever YAML resolves to, without a schema. */
import type { ConfigValue } from '../schema/types.ts';
import { deref, keyText, type YamlNode } from '../yaml/node.ts';
import { type DecodeContext, report } from './context.ts';
import { entriesOf, setKey } from './decode.ts';

/** Decodes any node. Merge keys apply, as they do in maps of the real decoder. */
export function decodeFree(context: DecodeContext, node: YamlNode): ConfigValue {
  const target = deref(node);
  if (target.kind === 'scalar') {
    return target.value;
  }
  if (target.kind === 'list') {
    return target.items.map((item) => decodeFree(context, item));
  }
  const object: Record<string, ConfigValue> = {};
  context.aliasDepth += 1;
  for (const { key, value } of entriesOf(context, target)) {
    const name = keyText(key);
    if (name === undefined) {
      report(context, key, 'a key that is not text', 'keys must be plain text');
    } else {
      setKey(object, name, decodeFree(context, value));
    }
  }
  context.aliasDepth -= 1;
  return object;
}
