import { Bug, Fatal } from '../../platform/errors.ts';

/**
 * Whether an error is a defect of our own code rather than a failure of the modelled world. Every modelled failure
 * has a class of its own, so plain Error counts as a defect too.
 */
export function isDefect(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Bug) return true;
  return (
    error.constructor === Error ||
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}

/** What a failed run is logged as: a panic names the controller. */
export function failureText(controller: string, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof Fatal ? `controller "${controller}" panicked: ${text}` : text;
}
