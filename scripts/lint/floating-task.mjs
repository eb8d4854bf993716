// A lost `yield*` compiles and silently does nothing: a generator that is created and dropped is always a mistake.
import { ESLintUtils } from '@typescript-eslint/utils';

export const floatingTask = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      floating: 'This task never runs: write `yield*` before it, spawn it, or return it.',
      plain: 'Only wait() says `yield`; write `yield*`.',
    },
  },
  create(context) {
    const services = ESLintUtils.getParserServices(context);
    const isGenerator = (node) => {
      const type = services.getTypeAtLocation(node);
      const name = type.symbol?.name ?? type.aliasSymbol?.name;
      return name === 'Generator' || type.aliasSymbol?.name === 'Task';
    };
    return {
      ExpressionStatement(node) {
        const inner = node.expression.type === 'ChainExpression' ? node.expression.expression : node.expression;
        if (inner.type === 'CallExpression' && isGenerator(inner)) context.report({ node, messageId: 'floating' });
        if (inner.type === 'UnaryExpression' && inner.operator === 'void' && isGenerator(inner.argument))
          context.report({ node, messageId: 'floating' });
      },
      'YieldExpression[delegate=false]'(node) {
        if (node.argument && isGenerator(node.argument)) context.report({ node, messageId: 'plain' });
      },
    };
  },
};
