import type { Controller, Resource, ResourceKind } from '../../../cosi/index.ts';
import { destroyReady, passController, shared, weak } from '../../../cosi/index.ts';
import { type ConfigLayer, LAYERS } from '../../resources/network.ts';

interface Layered {
  readonly layer: ConfigLayer;
}

/**
 * Folds layered specs into one spec for each merged id. `fold` gets the specs of one id, lower layers first, ids in
 * order within a layer. An output whose last source is gone is torn down and destroyed once nobody holds it.
 */
export function mergeController<S extends Layered>(options: {
  readonly name: string;
  readonly from: ResourceKind<S>;
  readonly to: ResourceKind<S>;
  readonly mergedId: (spec: S) => string;
  readonly fold: (specs: readonly S[]) => S;
}): Controller {
  const { name, from, to, mergedId, fold } = options;
  return passController({
    name,
    inputs: [weak(from), destroyReady(to)],
    outputs: [shared(to)],
    pass: (context) => {
      const groups = new Map<string, S[]>();
      for (const { spec } of byLayer(context.list(from))) {
        const id = mergedId(spec);
        groups.set(id, [...(groups.get(id) ?? []), spec]);
      }
      for (const [id, specs] of groups) {
        // One that is still being torn down is made anew once it is gone.
        if (context.get(to, id)?.metadata.phase !== 'tearingDown') context.set(to, id, fold(specs));
      }
      for (const { metadata } of context.list(to)) {
        if (groups.has(metadata.id) && metadata.phase === 'running') continue;
        if (!context.teardown(to, metadata.id)) continue;
        context.destroy(to, metadata.id);
        if (groups.has(metadata.id)) context.queueReconcile();
      }
      return undefined;
    },
  });
}

function byLayer<S extends Layered>(resources: readonly Resource<S>[]): readonly Resource<S>[] {
  return [...resources].sort((a, b) => LAYERS.indexOf(a.spec.layer) - LAYERS.indexOf(b.spec.layer));
}

/** Highest layer wins, the last id within it. */
export function lastWins<S>(specs: readonly S[]): S {
  return specs[specs.length - 1]!;
}
