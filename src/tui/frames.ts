const BEGIN_SYNCHRONIZED = '\u001b[?2026h';
const END_SYNCHRONIZED = '\u001b[?2026l';
const CLEAR_SCREEN = '\u001b[2J';

/**
 * Puts whole frames on a terminal by writing only the rows that differ from the frame before. A row is cleared before
 * it is written and not after, because clearing from a cursor that waits at the right margin takes the last character.
 */
export class FrameWriter {
  private rows: readonly string[] = [];
  private size = '';

  private readonly stdout: NodeJS.WriteStream;

  constructor(stdout: NodeJS.WriteStream) {
    this.stdout = stdout;
  }

  /** Draws the frame, at most one row for each row of the terminal. */
  draw(frame: string): void {
    const size = `${this.stdout.columns}x${this.stdout.rows}`;
    const resized = size !== this.size;
    const before = resized ? [] : this.rows;
    const rows = frame.split('\n');
    const count = Math.max(rows.length, before.length);
    let out = resized ? CLEAR_SCREEN : '';
    for (let row = 0; row < count; row++) {
      const text = rows[row] ?? '';
      if (text !== (before[row] ?? '')) out += `\u001b[${row + 1};1H\u001b[2K${text}`;
    }
    this.rows = rows;
    this.size = size;
    if (out !== '') this.stdout.write(`${BEGIN_SYNCHRONIZED}${out}${END_SYNCHRONIZED}`);
  }

  /**
   * The same terminal as Ink in its debug mode sees it: each of its writes is a frame. Ink's own way of drawing shows
   * nothing where the variable `CI` is set, though a person may well sit there (ecosystem.md, CI).
   */
  asStream(): NodeJS.WriteStream {
    const { stdout } = this;
    const write = (frame: string | Uint8Array, done?: () => void): boolean => {
      if (typeof frame === 'string' && frame !== '') this.draw(frame);
      if (done) setImmediate(done);
      return true;
    };
    return new Proxy(stdout, {
      get: (target, name) => {
        if (name === 'write') return write;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}
