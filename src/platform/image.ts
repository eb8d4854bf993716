/** An image reference in its parts: `host:5000/name:tag@digest`. */
export interface ImageReference {
  /** Registry and name. */
  readonly repository: string;
  readonly tag: string | undefined;
  /** `sha256:…` */
  readonly digest: string | undefined;
}

/** Splits a reference; the port of a registry is no tag. */
export function splitImage(reference: string): ImageReference {
  const at = reference.indexOf('@');
  const digest = at < 0 ? undefined : reference.slice(at + 1);
  const named = at < 0 ? reference : reference.slice(0, at);
  const colon = named.indexOf(':', Math.max(named.lastIndexOf('/'), 0));
  if (colon < 0) return { repository: named, tag: undefined, digest };
  return { repository: named.slice(0, colon), tag: named.slice(colon + 1), digest };
}
