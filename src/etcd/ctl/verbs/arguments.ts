import { parseId } from '../../../api/etcd/ids.ts';
import { CtlExit, ExitCode } from '../context.ts';

/** A member or lease id as users type it: hexadecimal. Returns sixteen digits. */
export function parseHexId(text: string, what: string, parser: 'ParseInt' | 'ParseUint' = 'ParseUint'): string {
  const id = parseId(text);
  if (id === null) {
    const why = `strconv.${parser}: parsing "${text}": ${text.length > 16 ? 'value out of range' : 'invalid syntax'}`;
    throw new CtlExit(ExitCode.BadArgs, `bad ${what} (${why}), expecting ID in Hex`);
  }
  return id;
}

/** Ends the command with "bad arguments". */
export function badArgs(message: string): never {
  throw new CtlExit(ExitCode.BadArgs, message);
}
