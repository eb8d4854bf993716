import type { Task } from '../../platform/task.ts';
import type { Tool } from '../tools/tool.ts';

/** kubectl on the operator's workstation. */
export const kubectl: Tool = {
  name: 'kubectl',
  problem: () => undefined,
  *run(_words, context): Task<number> {
    context.err('kubectl: being written\n');
    return 1;
  },
};
