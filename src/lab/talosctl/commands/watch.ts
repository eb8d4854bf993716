import { EventType, type ResourceDefinition } from '../../../api/cosi/state.ts';
import { all } from '../../../platform/combinators.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { tabulate } from '../../cobra/tabwriter.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { TalosClient } from '../client.ts';
import { header, objectText, row, type Shown, yamlText } from '../resource-text.ts';
import { watchStream } from '../resources.ts';
import { CommandFailure } from '../run.ts';

interface Watched {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  /** One resource; absent: the whole type. */
  readonly id: string | undefined;
}

const KINDS: Readonly<Record<number, Shown['event']>> = Object.freeze({
  [EventType.Created]: 'created',
  [EventType.Updated]: 'updated',
  [EventType.Destroyed]: 'destroyed',
});
const MARKS = Object.freeze({ created: '+', updated: ' ', destroyed: '-' });

/** `talosctl get --watch`: what there is, then every change, until it is interrupted (reference/lifecycle-api-cli.md E.5, F.3). */
export function* watchResources(
  client: TalosClient,
  context: ToolContext,
  output: string,
  watched: Watched,
): Task<number> {
  const printer = output === 'table' ? new TablePrinter(context, watched) : new TextPrinter(context, output);
  try {
    yield* all(client.nodes.map((node) => watchNode(client, node, watched, printer)));
  } catch (error) {
    if (error instanceof RpcError) throw new CommandFailure(error.describe());
    throw error;
  } finally {
    printer.flush();
  }
  return 0;
}

interface Printer {
  take(shown: Shown): void;
  flush(): void;
}

function* watchNode(client: TalosClient, node: string, watched: Watched, printer: Printer): Task<void> {
  const { definition, namespace, id } = watched;
  const type = definition.resourceType;
  const stream = watchStream(client, node, id === undefined ? { namespace, type } : { namespace, type, id });
  let bootstrapped = false;
  for (;;) {
    const response = yield* stream.receive();
    if (response === undefined) return;
    for (const event of response.event) {
      if (event.eventType === EventType.Errored)
        throw new CommandFailure(`error watching resource: ${event.error ?? ''}`);
      if (event.eventType === EventType.Bootstrapped) bootstrapped = true;
      const kind = KINDS[event.eventType];
      if (kind !== undefined) printer.take({ node, resource: event.resource!, event: kind });
    }
    // A single resource has no mark for the end of what there was: nothing of it is printed before the end.
    if (bootstrapped) printer.flush();
  }
}

/** Lines of a table wait for the end of what was there at first; each change after it is a table of its own. */
class TablePrinter implements Printer {
  readonly #context: ToolContext;
  readonly #definition: ResourceDefinition;
  #rows: string[][];

  constructor(context: ToolContext, watched: Watched) {
    this.#context = context;
    this.#definition = watched.definition;
    this.#rows = [header(watched.definition, ['*'])];
  }

  take(shown: Shown): void {
    this.#rows.push(row(this.#definition, shown, [MARKS[shown.event!]]));
  }

  flush(): void {
    if (this.#rows.length > 0) this.#context.out(tabulate(this.#rows));
    this.#rows = [];
  }
}

/** YAML documents and JSON objects are printed as they come. */
class TextPrinter implements Printer {
  readonly #context: ToolContext;
  readonly #output: string;
  #first = true;

  constructor(context: ToolContext, output: string) {
    this.#context = context;
    this.#output = output;
  }

  take(shown: Shown): void {
    const separator = this.#output === 'yaml' && !this.#first ? '---\n' : '';
    this.#first = false;
    this.#context.out(separator + (this.#output === 'yaml' ? yamlText(shown) : objectText(this.#output, shown)));
  }

  flush(): void {}
}
