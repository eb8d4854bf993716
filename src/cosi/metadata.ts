/** What every resource carries beside its spec (reference/controllers.md A.1). */

export type Phase = 'running' | 'tearingDown';

export interface Metadata {
  readonly namespace: string;
  /** `<PluralName>.<group>.talos.dev`. */
  readonly type: string;
  readonly id: string;
  /** 1 at creation, one more with every write. */
  readonly version: number;
  /** Name of the controller that owns it; empty when nobody does. */
  readonly owner: string;
  readonly phase: Phase;
  /** Wall clock of the machine, microseconds since the Unix epoch. */
  readonly createdUs: number;
  readonly updatedUs: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** In the order they were added, without duplicates. */
  readonly finalizers: readonly string[];
}

/** Names one resource. */
export interface Pointer {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
}

/** `Type(namespace/id@version)`, as error texts print a resource. */
export function describePointer(pointer: Pointer, version: number | 'undefined'): string {
  return `${pointer.type}(${pointer.namespace}/${pointer.id}@${version})`;
}

export function describe(metadata: Metadata): string {
  return describePointer(metadata, metadata.version);
}
