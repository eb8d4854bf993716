import { type ControllerDependencyEdge, DependencyEdgeType } from '../../../api/machine/inspect.ts';
import { InspectService } from '../../../api/machine/services.ts';
import type { Task } from '../../../platform/task.ts';
import { Empty } from '../../../rpc/well-known.ts';
import { type Command, noArgs, type ParsedCommand } from '../../cobra/command.ts';
import { flag } from '../../cobra/flags.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { onlyOneNode, withClient } from '../client.ts';
import { NotSimulated, type Runner } from '../run.ts';

export const inspectCommand: Command<Runner> = {
  use: 'inspect',
  short: 'Inspect internals of Talos',
  commands: [
    {
      use: 'dependencies',
      short: 'Inspect controller-resource dependencies as graphviz graph.',
      args: noArgs,
      run: dependencies,
      flags: [flag('with-resources', 'bool', false, 'display live resource information with dependencies')],
    },
  ],
};

function* dependencies(parsed: ParsedCommand<Runner>, context: ToolContext): Task<number> {
  if (parsed.flags.on('with-resources'))
    throw new NotSimulated('talosctl inspect dependencies --with-resources is not simulated: leave the flag out');
  return yield* withClient(parsed, context, function* (client) {
    onlyOneNode(client, 'inspect dependencies');
    const answers = yield* client.unary(
      'error getting controller runtime dependencies',
      InspectService.ControllerRuntimeDependencies,
      Empty.empty,
    );
    context.out(graphOf(answers.flatMap(({ message }) => message.edges)));
    return 0;
  });
}

/** Styles of edges; inputs that only wake when a resource may go are left out, as talosctl does. */
const STYLES: Readonly<Record<number, string>> = Object.freeze({
  [DependencyEdgeType.OutputExclusive]: 'bold',
  [DependencyEdgeType.OutputShared]: 'solid',
  [DependencyEdgeType.InputStrong]: 'solid',
  [DependencyEdgeType.InputWeak]: 'dotted',
});

/** The graph in graphviz's language: controllers are boxes, types of resources are notes. */
export function graphOf(edges: readonly ControllerDependencyEdge[]): string {
  const numbers = new Map<string, number>();
  const nodes: string[] = [];
  const node = (label: string, attributes: string): string => {
    let number = numbers.get(label);
    if (number === undefined) {
      number = numbers.size + 1;
      numbers.set(label, number);
      nodes.push(`\tn${number}[${attributes.replace('@', `label=${JSON.stringify(label)}`)}];\n`);
    }
    return `n${number}`;
  };
  const arrows = edges.map((edge) => {
    const controller = node(edge.controllerName, '@,shape="box"');
    const resource = node(edge.resourceType, 'fillcolor="azure2",@,shape="note",style="filled"');
    const style = STYLES[edge.edgeType];
    if (style === undefined) return '';
    const output =
      edge.edgeType === DependencyEdgeType.OutputExclusive || edge.edgeType === DependencyEdgeType.OutputShared;
    if (output) return `\t${controller}->${resource}[style="${style}"];\n`;
    const label = edge.resourceId === '' ? '' : `label=${JSON.stringify(edge.resourceId)},`;
    return `\t${resource}->${controller}[${label}style="${style}"];\n`;
  });
  return `digraph  {\n\t\n${nodes.join('')}${arrows.join('')}\t\n}\n`;
}
