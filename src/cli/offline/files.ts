import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Files } from '../../lab/tools/workspace.ts';

/** The real file system. */
export const diskFiles: Files = Object.freeze({
  readText: (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
  readBytes: (path: string) => (existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined),
  exists: (path: string) => existsSync(path),
  write: (path: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(path) || '.', { recursive: true });
    writeFileSync(path, content, { mode });
  },
  remove: (path: string) => rmSync(path, { force: true }),
});
