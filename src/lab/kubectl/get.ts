import { Document } from 'yaml';
import { KubeError } from '../../kube/objects/errors.ts';
import type { KubeObject } from '../../kube/objects/object.ts';
import type { Task } from '../../platform/task.ts';
import { evaluateJsonPath } from '../cobra/jsonpath.ts';
import { tabulate } from '../cobra/tabwriter.ts';
import type { ToolContext } from '../tools/tool.ts';
import { tableOf } from './print.ts';
import {
  KubectlFailure,
  namespaceOf,
  type Opened,
  type Parsed,
  printedType,
  type Target,
  targetsOf,
} from './session.ts';

interface Found extends Target {
  readonly objects: readonly KubeObject[];
}

/** `kubectl get`. */
export function* get(parsed: Parsed, context: ToolContext, cluster: Opened): Task<number> {
  const { flags } = parsed;
  const output = flags.text('output');
  checkOutput(output);
  const targets = targetsOf(parsed.args);
  const everywhere = flags.on('all-namespaces');
  const refused: string[] = [];
  const found: Found[] = [];
  for (const target of targets) found.push(yield* fetch(parsed, cluster, target, refused));
  const objects = found.flatMap((target) => target.objects);
  const single = targets.length === 1 && targets[0]!.names.length === 1;
  const value = single ? objects[0] : listOf(objects);
  if (output === '' || output === 'wide') printTables(parsed, context, found, refused.length > 0);
  else if (output === 'name')
    context.out(
      found.flatMap(({ type, objects: list }) => list.map((o) => `${printedType(type)}/${o.metadata.name}\n`)).join(''),
    );
  else if (value === undefined) context.out('');
  else if (output === 'json') context.out(`${JSON.stringify(value, undefined, 4)}\n`);
  else if (output === 'yaml') context.out(new Document(value).toString({ lineWidth: 0 }));
  else context.out(evaluateJsonPath(output.slice('jsonpath='.length), value));
  const [firstTarget] = targets;
  if (objects.length === 0 && refused.length === 0 && (output === '' || output === 'wide')) {
    const namespace = namespaceOf(parsed, cluster, firstTarget!.type);
    const inside = namespace !== undefined && !everywhere ? ` in ${namespace} namespace.` : '';
    context.err(`No resources found${inside}\n`);
  }
  for (const text of refused) context.err(`${text}\n`);
  return refused.length > 0 ? 1 : 0;
}

function checkOutput(output: string): void {
  if (['', 'wide', 'json', 'yaml', 'name'].includes(output) || output.startsWith('jsonpath=')) return;
  throw new KubectlFailure(
    `error: unable to match a printer suitable for the output format "${output}", allowed formats are: json,jsonpath,name,wide,yaml`,
  );
}

/** What is there; names that are not go to `refused`, the rest is shown all the same. */
function* fetch(parsed: Parsed, cluster: Opened, target: Target, refused: string[]): Task<Found> {
  const { flags } = parsed;
  const { type, names } = target;
  const everywhere = flags.on('all-namespaces') && type.namespaced;
  const namespace = everywhere ? undefined : namespaceOf(parsed, cluster, type);
  if (names.length === 0) {
    const selection = {
      ...(flags.text('selector') !== '' && { labelSelector: flags.text('selector') }),
      ...(flags.text('field-selector') !== '' && { fieldSelector: flags.text('field-selector') }),
    };
    const { items } = yield* cluster.client.list(type, namespace, selection);
    return { ...target, objects: items };
  }
  if (everywhere) throw new KubectlFailure('error: a resource cannot be retrieved by name across all namespaces');
  const objects: KubeObject[] = [];
  for (const name of names) {
    try {
      objects.push(yield* cluster.client.get(type, namespace, name));
    } catch (error) {
      if (!(error instanceof KubeError) || error.reason !== 'NotFound') throw error;
      refused.push(`Error from server (NotFound): ${error.message}`);
    }
  }
  return { ...target, objects };
}

/** One table for each type, an empty line between, names with their type when there are several. */
function printTables(parsed: Parsed, context: ToolContext, found: readonly Found[], partly: boolean): void {
  const { flags } = parsed;
  const shown = found.filter(({ objects }) => objects.length > 0);
  const several = found.length > 1 && found.some(({ type }) => type !== found[0]!.type);
  const tables = shown.map(({ type, objects }) =>
    tabulate(
      tableOf(type, objects, context.platform.clock.nowUs(), {
        wide: flags.text('output') === 'wide',
        namespaces: flags.on('all-namespaces') && type.namespaced,
        headers: !flags.on('no-headers'),
        labels: flags.on('show-labels'),
        ...(several && { prefix: printedType(type) }),
      }),
    ),
  );
  if (tables.length > 0 || !partly) context.out(tables.join('\n'));
}

function listOf(objects: readonly KubeObject[]): object {
  return { apiVersion: 'v1', items: objects, kind: 'List', metadata: { resourceVersion: '' } };
}
