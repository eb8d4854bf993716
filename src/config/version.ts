/** Talos releases as far as the config package tells them apart. */

/** A parsed release. Only 1.x is simulated. */
export interface TalosVersion {
  /** As given, with a leading `v`. */
  readonly text: string;
  readonly minor: number;
  readonly patch: number;
}

/** Release that a run simulates unless told otherwise. */
export const DEFAULT_VERSION: TalosVersion = Object.freeze({ text: 'v1.11.3', minor: 11, patch: 3 });

/** The last minor of 1.x whose documents and contract are known. */
export const NEWEST_MINOR = 15;

/** The releases that are known, in words. */
export const KNOWN_RELEASES = `v1.0 to v1.${NEWEST_MINOR}`;

/** Parses `v1.11.3`, `1.11`, `v1.12`; undefined for anything else and for releases that are not known. */
export function parseVersion(text: string): TalosVersion | undefined {
  const match = /^v?1\.(\d{1,3})(?:\.(\d{1,3}))?(?:-[0-9A-Za-z.-]+)?$/.exec(text);
  if (match === null || Number(match[1]) > NEWEST_MINOR) {
    return undefined;
  }
  const shown = text.startsWith('v') ? text : `v${text}`;
  return { text: shown, minor: Number(match[1]), patch: Number(match[2] ?? 0) };
}
