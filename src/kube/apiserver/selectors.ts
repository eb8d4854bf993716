import type { KubeObject } from '../objects/object.ts';

/** Tells whether an object is selected. */
export type Selector = (object: KubeObject) => boolean;

const EVERYTHING: Selector = () => true;

/** `a=b,c!=d,e in (x,y),f,!g` against labels. */
export function labelSelector(text: string): Selector {
  if (text === '') return EVERYTHING;
  const terms = [...text.matchAll(/(?:[^,(]|\([^)]*\))+/g)].map((match) => labelTerm(match[0].trim()));
  return (object) => terms.every((term) => term(object.metadata.labels ?? {}));
}

function labelTerm(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(text);
  if (set !== null) {
    const [, key = '', operator, values = ''] = set;
    const wanted = values.split(',').map((value) => value.trim());
    return (labels) => (labels[key] !== undefined && wanted.includes(labels[key])) === (operator === 'in');
  }
  const comparison = /^([^=!]+?)\s*(==|=|!=)\s*(.*)$/.exec(text);
  if (comparison !== null) {
    const [, key = '', operator, value] = comparison;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  if (text.startsWith('!')) return (labels) => labels[text.slice(1)] === undefined;
  return (labels) => labels[text] !== undefined;
}

/** `metadata.name=x,spec.nodeName=y` against fields. */
export function fieldSelector(text: string): Selector {
  if (text === '') return EVERYTHING;
  const terms = text.split(',').map((term) => {
    const [, path = '', operator, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(term) ?? [];
    return (object: KubeObject): boolean => (fieldText(object, path.split('.')) === value) === (operator !== '!=');
  });
  return (object) => terms.every((term) => term(object));
}

function fieldText(object: KubeObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const step of path)
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
  return value === undefined || value === null ? '' : String(value);
}
