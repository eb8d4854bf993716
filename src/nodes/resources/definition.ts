import { type PrintColumn, type ResourceKind, resourceKind } from '../../cosi/index.ts';
import { ALL_KINDS } from './registry.ts';

export interface DefinitionSpec {
  readonly type: string;
  readonly displayType: string;
  readonly aliases: readonly string[];
  readonly allAliases: readonly string[];
  readonly defaultNamespace: string;
  readonly printColumns: readonly { readonly name: string; readonly jsonPath: string }[];
  readonly sensitivity: '' | 'sensitive';
}

/** What `talosctl get` resolves names with. Ids are types in lower case. */
export const ResourceDefinitions = resourceKind<DefinitionSpec>('meta', 'ResourceDefinitions.meta.cosi.dev', {
  aliases: ['api-resources', 'rd', 'rds'],
  columns: [{ name: 'Aliases', jsonPath: '{.aliases[:]}' }],
});

export interface NamespaceSpec {
  readonly description: string;
}
export const Namespaces = resourceKind<NamespaceSpec>('meta', 'Namespaces.meta.cosi.dev', { aliases: ['ns'] });

/** Every type that may be read from outside. */
export const READABLE_KINDS: readonly ResourceKind<unknown>[] = Object.freeze([
  ...ALL_KINDS,
  ResourceDefinitions,
  Namespaces,
]);

/** Names of a type as COSI derives them (reference/lifecycle-api-cli.md E.6). */
export function definitionOf(kind: ResourceKind<unknown>): DefinitionSpec {
  const dot = kind.type.indexOf('.');
  const name = kind.type.slice(0, dot);
  const suffix = kind.type.slice(dot + 1);
  const displayType = singular(name);
  const initials = name.replace(/[^A-Z]/g, '').toLowerCase();
  const short = initials.length < 2 ? [] : initials.endsWith('s') ? [initials] : [initials, `${initials}s`];
  const aliases = [...kind.aliases, displayType.toLowerCase(), ...short];
  const parts = suffix.split('.');
  const prefixes = parts.slice(0, -1).map((_, i) => `${name.toLowerCase()}.${parts.slice(0, i + 1).join('.')}`);
  return {
    type: kind.type,
    displayType,
    aliases,
    allAliases: [...new Set([name.toLowerCase(), ...prefixes, ...aliases])],
    defaultNamespace: kind.namespace,
    printColumns: kind.columns.map(({ name: column, jsonPath }: PrintColumn) => ({ name: column, jsonPath })),
    sensitivity: kind.sensitive ? 'sensitive' : '',
  };
}

/** English singular as far as these type names need it. */
function singular(name: string): string {
  if (name === 'DNSResolveCaches') return 'DNSResolveCach';
  if (name.endsWith('Statuses')) return name.slice(0, -2);
  if (name.endsWith('Addresses')) return name.slice(0, -2);
  if (name.endsWith('Entries') || name.endsWith('Identities') || name.endsWith('Policies'))
    return `${name.slice(0, -3)}y`;
  return name.endsWith('s') ? name.slice(0, -1) : name;
}
