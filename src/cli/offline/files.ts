import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Files } from '../../lab/tools/workspace.ts';
import { BadInput, fileProblem } from '../../runner/bad-input.ts';

/** No machine takes a config of more: apid's limit on messages is 32 MiB, and this reads in seconds. */
const MAX_FILE_BYTES = 4_194_304;

/** The real file system. */
export const diskFiles: Files = Object.freeze({
  readText: (path: string) => (existsSync(path) ? read(path).toString('utf8') : undefined),
  readBytes: (path: string) => (existsSync(path) ? new Uint8Array(read(path)) : undefined),
  exists: (path: string) => existsSync(path),
  write: (path: string, content: string | Uint8Array, mode = 0o644) => {
    mkdirSync(dirname(path) || '.', { recursive: true });
    writeFileSync(path, content, { mode });
  },
  remove: (path: string) => rmSync(path, { force: true }),
});

function read(path: string): Buffer {
  const { size } = statSync(path);
  if (size > MAX_FILE_BYTES)
    throw new BadInput(`${path}: ${size} bytes; a config or a patch has at most ${MAX_FILE_BYTES}`);
  try {
    return readFileSync(path);
  } catch (error) {
    throw new BadInput(`${path}: ${fileProblem(error)}`);
  }
}
