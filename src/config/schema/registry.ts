/** All document kinds, and what each simulated release knows (reference/v1.11.3.md 11.1, network-config.md E.4). */
import { blockDocuments } from './documents/block.ts';
import { kubernetesDocuments } from './documents/kubernetes.ts';
import { linkDocuments } from './documents/link.ts';
import { netconfDocuments } from './documents/netconf.ts';
import { networkDocuments } from './documents/network.ts';
import { poolDocuments } from './documents/pools.ts';
import { runtimeDocuments } from './documents/runtime.ts';
import { systemDocuments } from './documents/system.ts';
import type { DocumentSpec, Field, KnownKind, StructSpec } from './types.ts';
import { legacyDocument } from './v1alpha1/root.ts';

/** Every kind of every simulated release. */
export const documentSpecs: readonly DocumentSpec[] = Object.freeze([
  legacyDocument,
  ...networkDocuments,
  ...blockDocuments,
  ...runtimeDocuments,
  ...linkDocuments,
  ...netconfDocuments,
  ...kubernetesDocuments,
  ...poolDocuments,
  ...systemDocuments,
]);

const BY_KIND: Readonly<Record<string, DocumentSpec>> = Object.freeze(
  documentSpecs.reduce<Record<string, DocumentSpec>>((index, spec) => {
    index[spec.kind] = spec;
    return index;
  }, Object.create(null)),
);

/** The kind as a release knows it, or undefined when it does not. */
export function documentSpec(kind: string, minor: number): DocumentSpec | undefined {
  const spec = BY_KIND[kind];
  return spec === undefined || spec.since > minor ? undefined : spec;
}

/** Fields of a struct that a release knows, in printing order. */
export function fieldsIn(spec: StructSpec, minor: number): readonly Field[] {
  return spec.fields.filter((entry) => knows(entry, minor));
}

/** A field by YAML key, if the release knows it. */
export function fieldIn(spec: StructSpec, name: string, minor: number): Field | undefined {
  const found = spec.byName[name];
  return found !== undefined && knows(found, minor) ? found : undefined;
}

function knows(entry: Field, minor: number): boolean {
  return entry.since <= minor && (entry.until === undefined || minor < entry.until);
}

/** Kinds that only releases after v1.11 have, with the first release of each. */
export const newerKinds: readonly KnownKind[] = Object.freeze(
  documentSpecs.filter((spec) => spec.since > 11).map(({ kind, since }) => Object.freeze({ kind, since })),
);

/** Minor of the first release that has a kind; 0 for kinds of all simulated releases; undefined for unknown words. */
export function kindSince(kind: string): number | undefined {
  return BY_KIND[kind]?.since;
}
