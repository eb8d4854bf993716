import type { Logger, LogLevel } from '../../../src/raft/index.ts';

const LEVELS: readonly string[] = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'NONE'];
const NONE = LEVELS.length - 1;

/** The buffer that nodes log to and directives print to; level NONE silences both (reference/raft.md B2, B10). */
export class Output implements Logger {
  private buffer = '';
  private level = 0;

  write(text: string): void {
    if (!this.quiet) this.buffer += text;
  }

  log(level: LogLevel, text: string): void {
    if (this.level <= LEVELS.indexOf(level)) this.write(`${level} ${text}\n`);
  }

  get quiet(): boolean {
    return this.level === NONE;
  }

  /** Sets the level; the text of an error if there is no such level. */
  setLevel(name: string): string | null {
    const level = LEVELS.indexOf(name.toUpperCase());
    if (level < 0) return `log levels must be either of [${LEVELS.join(' ')}]`;
    this.level = level;
    return null;
  }

  /** Runs a function and sets the level back, whatever happens. */
  keepingLevel<T>(run: () => T): T {
    const { level } = this;
    try {
      return run();
    } finally {
      this.level = level;
    }
  }

  /** Shifts what the function prints to the right. */
  indented<T>(run: () => T): T {
    const outer = this.buffer;
    this.buffer = '';
    const result = run();
    const lines = this.buffer.split('\n');
    if (lines[lines.length - 1] === '') lines.pop();
    this.buffer = outer + lines.map((line) => `  ${line}\n`).join('');
    return result;
  }

  /** Ends a directive: what is there to compare. */
  take(error: string | null): string {
    const text = this.quiet && error !== null ? error : this.buffer + (error ?? '');
    this.buffer = '';
    return text === '' ? 'ok' : text;
  }
}
