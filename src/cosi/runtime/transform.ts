import type { Task } from '../../platform/task.ts';
import { ControllerError, StateError } from '../errors.ts';
import type { Resource, ResourceKind } from '../resource.ts';
import type { ControllerContext, Reader } from './context.ts';
import {
  type Controller,
  destroyReady,
  exclusive,
  type Input,
  passController,
  shared,
  strong,
  weak,
} from './controller.ts';
import { isDefect } from './failure.ts';

/** What a transform gives instead of an output to leave what is there as it is (reference/controllers.md A.9). */
export const SKIP = Symbol('skip');

/** What a transform's mapping gives when an input has no output. */
export const NO_OUTPUT = undefined;

export interface Transform<I, O> {
  readonly name: string;
  readonly input: ResourceKind<I>;
  readonly output: ResourceKind<O>;
  /** Further resources that `compute` reads. */
  readonly extraInputs?: readonly Input[];
  readonly outputMode?: 'exclusive' | 'shared';
  /** Id of the output of an input; {@link NO_OUTPUT}: it has none, an output that was there goes. */
  map(input: Resource<I>): string | typeof NO_OUTPUT;
  /** The output's spec, from the input and what was declared. A pure function. Errors of the world: ControllerError. */
  compute(input: Resource<I>, reader: Reader, old: O | undefined): O | typeof SKIP;
  /** When given, inputs are held by a finalizer until their output is gone; called before that. */
  readonly releaseInput?: (input: Resource<I>) => void;
}

/** A controller that keeps one output for each input (reference/controllers.md A.9). */
export function transformController<I, O>(definition: Transform<I, O>): Controller {
  const { input, output } = definition;
  const holdsInputs = definition.releaseInput !== undefined;
  const own = input.type === output.type && input.namespace === output.namespace ? [] : [destroyReady(output)];
  return passController({
    name: definition.name,
    inputs: [holdsInputs ? strong(input) : weak(input), ...own, ...(definition.extraInputs ?? [])],
    outputs: [definition.outputMode === 'shared' ? shared(output) : exclusive(output)],
    pass: (context) => pass(context, definition),
  });
}

function pass<I, O>(context: ControllerContext, definition: Transform<I, O>): Task<void> | undefined {
  const touched = new Set<string>();
  const released: string[] = [];
  const errors: string[] = [];
  for (const input of context.list(definition.input)) {
    const id = definition.map(input);
    if (id === NO_OUTPUT) continue;
    if (input.metadata.phase === 'tearingDown') {
      if (definition.releaseInput !== undefined) {
        definition.releaseInput(input);
        released.push(input.metadata.id);
      }
      continue;
    }
    touched.add(id);
    const error = transformOne(context, definition, input, id);
    if (error !== undefined) errors.push(error);
  }
  removeOrphans(context, definition.output, touched);
  for (const id of released) {
    const source = context.get(definition.input, id);
    const outputId = source === undefined ? undefined : definition.map(source);
    const gone = outputId === undefined || context.get(definition.output, outputId) === undefined;
    if (gone) context.removeFinalizer(definition.input, id, definition.name);
  }
  if (errors.length > 0) throw new ControllerError(joinErrors(errors));
  return undefined;
}

function transformOne<I, O>(
  context: ControllerContext,
  definition: Transform<I, O>,
  input: Resource<I>,
  id: string,
): string | undefined {
  const { output } = definition;
  try {
    if (definition.releaseInput !== undefined)
      context.addFinalizer(definition.input, input.metadata.id, definition.name);
    const old = context.get(output, id);
    const spec = definition.compute(input, context, old?.spec);
    if (spec !== SKIP) context.modify(output, id, () => spec);
    return undefined;
  } catch (error) {
    if (isDefect(error)) throw error;
    if (isOutputConflict(error, output)) return undefined;
    return `error running transform on ${input.metadata.type}(${input.metadata.id}): ${(error as Error).message}`;
  }
}

/** A conflict over an output is settled by a later pass. The phase conflict of a write is not one of these (A.2, quirk). */
function isOutputConflict(error: unknown, output: ResourceKind<unknown>): boolean {
  return (
    error instanceof StateError &&
    error.isConflict &&
    error.code !== 'phase-conflict' &&
    error.pointer?.type === output.type &&
    error.pointer.namespace === output.namespace
  );
}

function removeOrphans(context: ControllerContext, output: ResourceKind<unknown>, touched: ReadonlySet<string>): void {
  for (const resource of context.list(output)) {
    const { metadata } = resource;
    if (metadata.owner !== context.name) continue;
    if (touched.has(metadata.id) && metadata.phase === 'running') continue;
    if (context.teardown(output, metadata.id)) context.destroy(output, metadata.id);
  }
}

/** As go-multierror prints: one error plainly counted, each on a line of its own. */
export function joinErrors(errors: readonly string[]): string {
  const head = errors.length === 1 ? '1 error occurred:' : `${errors.length} errors occurred:`;
  return `${head}\n${errors.map((error) => `\t* ${error}`).join('\n')}\n\n`;
}
