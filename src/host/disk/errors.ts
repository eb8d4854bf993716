import { DiskError, type DiskErrorCode } from '../../platform/errors.ts';

interface Known {
  readonly code: DiskErrorCode;
  readonly text: string;
}

const KNOWN: Readonly<Record<string, Known>> = Object.freeze({
  ENOENT: { code: 'not-found', text: 'no such file or directory' },
  EEXIST: { code: 'exists', text: 'file exists' },
  ENOTEMPTY: { code: 'not-empty', text: 'directory not empty' },
  ENOTDIR: { code: 'not-directory', text: 'not a directory' },
  EISDIR: { code: 'is-directory', text: 'is a directory' },
  ENOSPC: { code: 'no-space', text: 'no space left on device' },
  EDQUOT: { code: 'no-space', text: 'disk quota exceeded' },
  EROFS: { code: 'read-only', text: 'read-only file system' },
  EACCES: { code: 'read-only', text: 'permission denied' },
  EPERM: { code: 'read-only', text: 'operation not permitted' },
  EBADF: { code: 'closed', text: 'file already closed' },
  EBUSY: { code: 'busy', text: 'device or resource busy' },
  EINVAL: { code: 'busy', text: 'cannot move a directory into itself' },
});

/** The port's error for one of Node's; anything that is not an error of the system is thrown as it is. */
export function diskError(error: unknown, path: string): DiskError {
  if (error instanceof DiskError) return error;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) throw error;
  const known = KNOWN[code];
  if (known === undefined) return new DiskError('io', path, `${path}: input/output error (${code})`);
  return new DiskError(known.code, path, `${path}: ${known.text}`);
}

/** Runs a synchronous call of the file system and translates its error. */
export function attempt<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw diskError(error, path);
  }
}
