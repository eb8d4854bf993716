/** Lines kept of one process; older ones are let go. */
const LIMIT = 2_000;

/** Cuts the text of one pipe into lines. Each pipe needs its own: a process may leave half a line in each. */
export class LineCutter {
  readonly #onLine: (line: string) => void;
  #partial = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Adds text as it comes out of the pipe. */
  feed(text: string): void {
    const pieces = (this.#partial + text).split('\n');
    this.#partial = pieces.pop()!;
    for (const line of pieces) this.#onLine(line);
  }

  /** The pipe is closed: what is left is a line, too. */
  end(): void {
    if (this.#partial !== '') this.#onLine(this.#partial);
    this.#partial = '';
  }
}

/** What a process printed, bounded, with listeners for what comes. */
export class LineBuffer {
  #lines: string[] = [];
  #listeners: ((line: string) => void)[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > 2 * LIMIT) this.#lines = this.#lines.slice(-LIMIT);
    for (const listener of [...this.#listeners]) listener(line);
  }

  /** At most the last `count` lines, oldest first. */
  tail(count: number): readonly string[] {
    return count <= 0 ? [] : this.#lines.slice(-Math.min(count, LIMIT));
  }

  listen(listener: (line: string) => void): () => void {
    this.#listeners.push(listener);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }
}
