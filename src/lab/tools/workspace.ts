/** Files as the operator's commands see them; relative paths start in the working directory. */
export interface Files {
  readText(path: string): string | undefined;
  readBytes(path: string): Uint8Array | undefined;
  exists(path: string): boolean;
  /** `mode` are permission bits where the file system has them. */
  write(path: string, content: string | Uint8Array, mode?: number): void;
  remove(path: string): void;
}

/** Files of a run: a layer in memory over files that exist outside. */
export class Workspace implements Files {
  #outside: (path: string) => string | undefined;
  #written = new Map<string, string | Uint8Array>();

  /** `outside` reads a file relative to the scenario; undefined when there is none. */
  constructor(outside: (path: string) => string | undefined) {
    this.#outside = outside;
  }

  /** Text of a file; undefined when it does not exist. */
  readText(path: string): string | undefined {
    const written = this.#written.get(normalize(path));
    if (typeof written === 'string') return written;
    return written === undefined ? this.#outside(normalize(path)) : undefined;
  }

  readBytes(path: string): Uint8Array | undefined {
    const written = this.#written.get(normalize(path));
    return written instanceof Uint8Array ? written : undefined;
  }

  exists(path: string): boolean {
    return this.#written.has(normalize(path)) || this.#outside(normalize(path)) !== undefined;
  }

  write(path: string, content: string | Uint8Array, _mode = 0o600): void {
    this.#written.set(normalize(path), content);
  }

  remove(path: string): void {
    this.#written.delete(normalize(path));
  }

  /** Paths of what was written, in order of first writing. */
  written(): readonly string[] {
    return [...this.#written.keys()];
  }
}

/** Drops `.` and resolves `..`, so that `./a.yaml` and `a.yaml` are one file; absolute paths stay absolute. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
    else parts.push(part);
  }
  return (path.startsWith('/') ? '/' : '') + parts.join('/');
}
