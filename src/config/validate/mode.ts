/** Where a machine runs, as far as validation cares (reference/network-config.md E.5). */

export type Mode = 'metal' | 'cloud' | 'container' | 'metal-agent';

const MODES: readonly Mode[] = Object.freeze(['metal', 'cloud', 'container', 'metal-agent']);

/** The mode of a word, or undefined. */
export function parseMode(text: string): Mode | undefined {
  return MODES.find((mode) => mode === text);
}

/** Only bare metal installs to a disk. */
export function requiresInstall(mode: Mode): boolean {
  return mode === 'metal';
}

/** How to validate. */
export interface ValidateOptions {
  readonly mode: Mode;
  /** Warnings of the legacy document become errors. */
  readonly strict?: boolean;
  /** Minor of the release whose rules apply. */
  readonly minor: number;
}
