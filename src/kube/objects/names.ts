import { utf8SizeBytes } from '../../platform/bytes.ts';

/**
 * What a name may be (Kubernetes' apimachinery): a subdomain of DNS, one label of it, a label that begins with a letter, or
 * anything that can stand in a path.
 */
export type NameRule = 'subdomain' | 'label' | 'letter-label' | 'path';

interface Form {
  readonly limitBytes: number;
  readonly pattern: string;
  readonly says: string;
  readonly examples: string;
}

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const FORMS: Readonly<Record<Exclude<NameRule, 'path'>, Form>> = Object.freeze({
  subdomain: {
    limitBytes: 253,
    pattern: `${LABEL}(\\.${LABEL})*`,
    says: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    examples: "'example.com'",
  },
  label: {
    limitBytes: 63,
    pattern: LABEL,
    says: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
    examples: "'my-name',  or '123-abc'",
  },
  'letter-label': {
    limitBytes: 63,
    pattern: '[a-z]([-a-z0-9]*[a-z0-9])?',
    says: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    examples: "'my-name',  or 'abc-123'",
  },
});

/** What is wrong with a name, in the words of Kubernetes 1.34; a prefix of generated names may end with `-`. */
export function nameProblems(rule: NameRule, name: string, isPrefix = false): string[] {
  if (rule === 'path') return pathProblems(name, isPrefix);
  const tried = isPrefix && name.length > 1 ? name.replace(/.-$/, 'a') : name;
  const { limitBytes, pattern, says, examples } = FORMS[rule];
  const problems = utf8SizeBytes(tried) > limitBytes ? [`must be no more than ${limitBytes} bytes`] : [];
  if (fits(pattern, tried)) return problems;
  const dotted = rule === 'label' && fits(FORMS.subdomain.pattern, tried);
  const text = dotted
    ? 'must not contain dots'
    : `${says} (e.g. ${examples}, regex used for validation is '${pattern}')`;
  return [...problems, text];
}

function fits(pattern: string, text: string): boolean {
  return new RegExp(`^${pattern}$`).test(text);
}

function pathProblems(name: string, isPrefix: boolean): string[] {
  if (!isPrefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}
