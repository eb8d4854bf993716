/** A failure of the modelled machine, with the text that Talos prints. */
export class NodeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeError';
  }
}

/** Text of any error as Go would print it. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** First letter in upper case, as service events have it. */
export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
