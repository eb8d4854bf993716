import type { ConfigError } from '../errors.ts';

/** A patch, or a config to be patched, that cannot be used. The message is what the real tool prints. */
export class PatchError extends Error {
  /** Places in the text, when the problem was found while reading it. */
  readonly located: readonly ConfigError[];
  constructor(message: string, located: readonly ConfigError[] = []) {
    super(message);
    this.name = 'PatchError';
    this.located = located;
  }
}
