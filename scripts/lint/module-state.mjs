// No module-level mutable state: runs must not see each other. Constants, frozen tables and functions are fine.
const MUTABLE = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

export const moduleState = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      variable: 'A module-level `let` is shared by every run; pass the state in.',
      container: 'A module-level {{what}} is shared by every run; freeze it, type it readonly, or pass it in.',
    },
  },
  create(context) {
    return {
      'Program > VariableDeclaration, Program > ExportNamedDeclaration > VariableDeclaration'(node) {
        if (node.kind !== 'const' && !node.declare) {
          context.report({ node, messageId: 'variable' });
          return;
        }
        for (const declarator of node.declarations) {
          const init = declarator.init;
          const annotation = declarator.id.typeAnnotation
            ? context.sourceCode.getText(declarator.id.typeAnnotation)
            : '';
          const readonly = /\b(Readonly|ReadonlyMap|ReadonlySet|ReadonlyArray|readonly)\b/.test(annotation);
          if (
            init?.type === 'NewExpression' &&
            init.callee.type === 'Identifier' &&
            MUTABLE.has(init.callee.name) &&
            !readonly
          )
            context.report({ node: declarator, messageId: 'container', data: { what: init.callee.name } });
          if (init?.type === 'ArrayExpression' && !readonly)
            context.report({ node: declarator, messageId: 'container', data: { what: 'array' } });
        }
      },
    };
  },
};
