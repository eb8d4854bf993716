/** Kubernetes label, annotation and taint rules (reference/network-config.md E.5 "Labels"). */
import { utf8SizeBytes } from '../../platform/bytes.ts';
import { goQuote } from '../../platform/text/quote.ts';

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const RESERVED: readonly string[] = Object.freeze([
  'talos.dev/owned-annotations',
  'talos.dev/owned-labels',
  'talos.dev/owned-taints',
]);
const EFFECTS: readonly string[] = Object.freeze(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);
const MAX_ANNOTATIONS_BYTES = 262144;

type Map = Readonly<Record<string, string>>;

/** Problems of node labels, in key order. */
export function labelProblems(labels: Map): string[] {
  return sortedEntries(labels).flatMap(([key, value]) => [
    ...present(nameProblem(key)),
    ...present(valueProblem(value)),
  ]);
}

export function annotationProblems(annotations: Map): string[] {
  const problems: string[] = [];
  let size = 0;
  for (const [key, value] of sortedEntries(annotations)) {
    problems.push(...present(nameProblem(key)));
    if (RESERVED.includes(key)) {
      problems.push(`annotation ${goQuote(key)} is reserved`);
    }
    size += utf8SizeBytes(key) + utf8SizeBytes(value);
  }
  if (size > MAX_ANNOTATIONS_BYTES) {
    problems.push(`total annotation size exceeds limit of ${MAX_ANNOTATIONS_BYTES} bytes`);
  }
  return problems;
}

export function taintProblems(taints: Map): string[] {
  return sortedEntries(taints).flatMap(([key, text]) => present(nameProblem(key) ?? taintProblem(text)));
}

function taintProblem(text: string): string | undefined {
  const colon = text.indexOf(':');
  const effect = colon === -1 ? text : text.slice(colon + 1);
  if (!EFFECTS.includes(effect)) {
    return `invalid taint effect: ${goQuote(effect)}`;
  }
  return colon === -1 ? undefined : valueProblem(text.slice(0, colon));
}

/** What is wrong with a qualified name: an optional DNS prefix, a slash, a name. */
export function nameProblem(text: string): string | undefined {
  const parts = text.split('/');
  const quoted = goQuote(text);
  if (parts.length > 2) {
    return `invalid format: too many slashes: ${quoted}`;
  }
  const prefix = parts.length === 2 ? parts[0]! : undefined;
  if (prefix === '') {
    return `prefix cannot be empty: ${quoted}`;
  }
  const domain = prefix === undefined ? undefined : domainProblem(prefix);
  if (domain !== undefined) {
    return `prefix ${goQuote(prefix!)} is invalid: ${domain}`;
  }
  const name = parts[parts.length - 1]!;
  if (name === '') {
    return `name cannot be empty: ${quoted}`;
  }
  if (name.length > 63) {
    return `name is too long: ${quoted} (limit is 63)`;
  }
  return QUALIFIED.test(name) ? undefined : `name ${goQuote(name)} is invalid`;
}

/** What is wrong with a DNS-1123 subdomain. */
export function domainProblem(text: string): string | undefined {
  if (text.length > 253) {
    return `domain name length exceeds limit of 253: ${goQuote(text)}`;
  }
  return DNS_SUBDOMAIN.test(text) ? undefined : `domain doesn't match required format: ${goQuote(text)}`;
}

function valueProblem(text: string): string | undefined {
  if (text.length > 63) {
    return `label value length exceeds limit of 63: ${goQuote(text)}`;
  }
  return text === '' || QUALIFIED.test(text) ? undefined : `label value ${goQuote(text)} is invalid`;
}

function sortedEntries(map: Map): [string, string][] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}

function present(problem: string | undefined): string[] {
  return problem === undefined ? [] : [problem];
}
