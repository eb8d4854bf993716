/** Roles of the Talos API in v1.11, as certificates and Talos API access of pods name them (reference/v1.11.3.md 16). */
export const API_ROLES = Object.freeze([
  'os:admin',
  'os:operator',
  'os:reader',
  'os:etcd:backup',
  'os:impersonator',
] as const);

export type ApiRole = (typeof API_ROLES)[number];

/** Whether a text names a role of v1.11. */
export function isApiRole(text: string): text is ApiRole {
  return (API_ROLES as readonly string[]).includes(text);
}

/** Roles that came after v1.11 (reference/v1.11.3.md 16). */
export const NEWER_API_ROLES: readonly string[] = Object.freeze(['os:image:verifier', 'os:meta:writer']);
