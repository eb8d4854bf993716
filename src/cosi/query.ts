import type { Resource } from './resource.ts';

/** One condition on a label. */
export interface LabelTerm {
  readonly key: string;
  readonly op: 'exists' | 'equal' | 'in';
  readonly values?: readonly string[];
  readonly negated?: boolean;
}

/** Selects resources of a kind. Label queries are alternatives; the terms of one must all hold. */
export interface ListQuery {
  readonly labels?: readonly (readonly LabelTerm[])[];
  /** Regular expression (ECMAScript) that the id must match somewhere. */
  readonly idPattern?: string;
}

export function matches(resource: Resource, query: ListQuery | undefined): boolean {
  if (query === undefined) return true;
  if (query.idPattern !== undefined && !new RegExp(query.idPattern).test(resource.metadata.id)) return false;
  if (query.labels === undefined || query.labels.length === 0) return true;
  return query.labels.some((terms) => terms.every((term) => matchesTerm(resource.metadata.labels, term)));
}

function matchesTerm(labels: Readonly<Record<string, string>>, term: LabelTerm): boolean {
  const value = Object.hasOwn(labels, term.key) ? labels[term.key] : undefined;
  const holds = value !== undefined && (term.op === 'exists' || term.values?.includes(value) === true);
  return term.negated === true ? !holds : holds;
}
