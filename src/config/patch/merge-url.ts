/** URLs are merged part by part, since the real tool holds them as a struct: a path survives a patch that has none. */

const PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

export function mergeUrl(left: string, right: string): string {
  const a = PARTS.exec(left);
  const b = PARTS.exec(right);
  if (a === null || b === null) return right === '' ? left : right;
  const pick = (index: number): string => (b[index] ? b[index] : (a[index] ?? ''));
  const [scheme, authority, path, query, fragment] = [pick(1), pick(2), pick(3), pick(4), pick(5)];
  const head = `${scheme === '' ? '' : `${scheme}:`}${authority === '' ? '' : `//${authority}`}`;
  return `${head}${path}${query === '' ? '' : `?${query}`}${fragment === '' ? '' : `#${fragment}`}`;
}
