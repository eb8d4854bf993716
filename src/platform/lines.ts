/** Lines kept of one process; older ones are let go. */
const LIMIT = 2_000;

/** What a process printed, bounded, with listeners for what comes; text from a pipe is cut into lines. */
export class LineBuffer {
  #lines: string[] = [];
  #partial = '';
  #listeners: ((line: string) => void)[] = [];

  /** Adds text as it comes out of a pipe. */
  feed(text: string): void {
    const pieces = (this.#partial + text).split('\n');
    this.#partial = pieces.pop()!;
    for (const line of pieces) this.add(line);
  }

  /** The pipe is closed: what is left is a line, too. */
  end(): void {
    if (this.#partial !== '') this.add(this.#partial);
    this.#partial = '';
  }

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
