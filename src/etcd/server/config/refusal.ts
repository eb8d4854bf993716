import type { Console } from '../console.ts';

/** Why etcd does not start, found on the command line or in the environment. */
export type Refusal =
  /** The flag package gives up, or was only asked for something: its words, and the exit code. */
  | { readonly why: 'usage'; readonly exitCode: number; readonly lines: readonly string[] }
  /** A variable of the environment and a flag say the same thing. */
  | { readonly why: 'shadowed'; readonly exitCode: 1; readonly variable: string }
  /** The flags are well-formed but wrong. */
  | { readonly why: 'unfit'; readonly exitCode: 1; readonly error: string };

export const UNSET_ADVERTISE = '--advertise-client-urls is required when --listen-client-urls is set explicitly';

export function unfit(error: string): Refusal {
  return { why: 'unfit', exitCode: 1, error };
}

/** Says why, as the real program does. */
export function tellRefusal(
  refusal: Refusal,
  argv: readonly string[],
  print: (line: string) => void,
  log: Console,
): void {
  switch (refusal.why) {
    case 'usage':
      for (const line of refusal.lines) print(line);
      return;
    case 'shadowed':
      log.fatal(
        'conflicting environment variable is shadowed by corresponding command-line flag (either unset environment variable or disable flag))',
        { 'environment-variable': refusal.variable },
      );
      return;
    case 'unfit':
      log.info('Running: ', { args: argv });
      log.warn('failed to verify flags', { error: refusal.error });
      if (refusal.error === UNSET_ADVERTISE) {
        log.warn('advertise client URLs are not set', { error: refusal.error });
      }
  }
}
