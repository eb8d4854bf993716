import { CtlExit, ExitCode } from '../context.ts';

/** A member or lease id as users type it: hexadecimal. Returns sixteen digits. */
export function parseHexId(text: string, what: string): string {
  if (!/^[0-9a-fA-F]{1,16}$/.test(text)) {
    const why = `strconv.ParseUint: parsing "${text}": ${text.length > 16 ? 'value out of range' : 'invalid syntax'}`;
    throw new CtlExit(ExitCode.BadArgs, `bad ${what} (${why}), expecting ID in Hex`);
  }
  return text.toLowerCase().padStart(16, '0');
}

/** Ends the command with "bad arguments". */
export function badArgs(message: string): never {
  throw new CtlExit(ExitCode.BadArgs, message);
}

export function notAsTable(): never {
  throw new CtlExit(ExitCode.BadFeature, 'table is not supported as output format');
}
