import { deepEqual } from '../platform/deep-equal.ts';
import type { Metadata } from './metadata.ts';

/** A resource is immutable: writing makes a new one. */
export interface Resource<S = unknown> {
  readonly metadata: Metadata;
  readonly spec: S;
}

/** One column of the table that `talosctl get` prints, beside namespace, type, id and version. */
export interface PrintColumn {
  readonly name: string;
  readonly jsonPath: string;
}

/** Declares a type of resources once; `S` is the shape of its spec. */
export interface ResourceKind<S> {
  readonly type: string;
  /** Where resources of this type live unless another namespace is named. */
  readonly namespace: string;
  /** Short names that `talosctl get` accepts beside those derived from the type. */
  readonly aliases: readonly string[];
  /** Only os:admin may read it. */
  readonly sensitive: boolean;
  readonly columns: readonly PrintColumn[];
  /** The field that callers from outside see as the whole spec; undefined: the spec as it is. */
  readonly shownField: string | undefined;
  /** Only for the type. */
  readonly spec?: S;
}

export interface KindOptions<S> {
  readonly aliases?: readonly string[];
  readonly sensitive?: boolean;
  readonly columns?: readonly PrintColumn[];
  /** The one field whose value callers from outside see as the whole spec. */
  readonly shownField?: keyof S & string;
}

export function resourceKind<S>(namespace: string, type: string, options: KindOptions<S> = {}): ResourceKind<S> {
  return Object.freeze({
    type,
    namespace,
    aliases: options.aliases ?? [],
    sensitive: options.sensitive ?? false,
    columns: options.columns ?? [],
    shownField: options.shownField,
  });
}

/** The same type, living in another namespace. */
export function inNamespace<S>(kind: ResourceKind<S>, namespace: string): ResourceKind<S> {
  return Object.freeze({ ...kind, namespace });
}

/** Equality that ignores the two timestamps and the order of finalizers (reference/controllers.md A.1). */
export function equalResources(a: Resource, b: Resource): boolean {
  return equalMetadata(a.metadata, b.metadata) && deepEqual(a.spec, b.spec);
}

function equalMetadata(a: Metadata, b: Metadata): boolean {
  return (
    a.namespace === b.namespace &&
    a.type === b.type &&
    a.id === b.id &&
    a.version === b.version &&
    a.owner === b.owner &&
    a.phase === b.phase &&
    deepEqual(a.labels, b.labels) &&
    deepEqual(a.annotations, b.annotations) &&
    a.finalizers.length === b.finalizers.length &&
    a.finalizers.every((finalizer) => b.finalizers.includes(finalizer))
  );
}
