// The ban list of the deterministic layers: sources of time, randomness and order that differ between runs or engines.
const GLOBALS = new Map(
  Object.entries({
    Date: 'ask the clock port',
    Promise: 'use a Task',
    setTimeout: 'ask the clock port',
    setInterval: 'ask the clock port',
    setImmediate: 'ask the clock port',
    queueMicrotask: 'use a Task',
    performance: 'ask the clock port',
    process: 'ask the platform',
    Buffer: 'use Uint8Array and platform/bytes.ts',
    Intl: 'its answers differ between engines',
    WeakRef: 'garbage collection is not deterministic',
    FinalizationRegistry: 'garbage collection is not deterministic',
    crypto: 'ask the crypto port',
    fetch: 'ask the network port',
    structuredClone: 'share immutable data instead',
  }),
);
const MATH = new Set([
  'floor',
  'ceil',
  'round',
  'trunc',
  'min',
  'max',
  'abs',
  'imul',
  'clz32',
  'sign',
  'fround',
  'sqrt',
]);
const MEMBERS = new Set([
  'localeCompare',
  'toLocaleString',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
  'toLocaleDateString',
  'toLocaleTimeString',
]);

export const determinism = {
  meta: { type: 'problem', schema: [], messages: { banned: '{{what}} is banned in deterministic layers: {{why}}' } },
  create(context) {
    const report = (node, what, why) => context.report({ node, messageId: 'banned', data: { what, why } });
    const isGlobal = (node) => {
      let scope = context.sourceCode.getScope(node);
      for (; scope; scope = scope.upper) {
        const variable = scope.set.get(node.name);
        if (variable && variable.defs.length > 0) return false;
      }
      return true;
    };
    return {
      Identifier(node) {
        const why = GLOBALS.get(node.name);
        if (why === undefined || isNameOnly(node) || !isGlobal(node)) return;
        report(node, node.name, why);
      },
      MemberExpression(node) {
        if (node.computed || node.property.type !== 'Identifier') return;
        const name = node.property.name;
        if (MEMBERS.has(name)) report(node, name, 'its answer depends on the locale data of the engine');
        const onMath = node.object.type === 'Identifier' && node.object.name === 'Math';
        if (onMath && !MATH.has(name)) report(node, `Math.${name}`, 'its last digit may differ between engines');
      },
      BinaryExpression(node) {
        if (node.operator === '**') report(node, '**', 'its last digit may differ between engines');
      },
      AssignmentExpression(node) {
        if (node.operator === '**=') report(node, '**=', 'its last digit may differ between engines');
      },
      ForInStatement(node) {
        report(node, 'for…in', 'iterate Object.keys, whose order is written down');
      },
      AwaitExpression(node) {
        report(node, 'await', 'use a Task');
      },
      ':function[async=true]'(node) {
        report(node, 'async', 'use a Task');
      },
    };
  },
};

/** True where an identifier is a property name, a key or a type, not a reference to the global. */
function isNameOnly(node) {
  const parent = node.parent;
  if (parent === undefined) return false;
  if (parent.type === 'MemberExpression' && parent.property === node && !parent.computed) return true;
  if (
    (parent.type === 'Property' || parent.type === 'PropertyDefinition' || parent.type === 'MethodDefinition') &&
    parent.key === node
  )
    return !parent.shorthand;
  return parent.type.startsWith('TS') || parent.type === 'ImportSpecifier' || parent.type === 'ExportSpecifier';
}
