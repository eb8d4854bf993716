import { DiskError } from '../../platform/errors.ts';
import { FileContent } from './content.ts';

export interface FileNode {
  readonly kind: 'file';
  readonly content: FileContent;
}

export interface DirectoryNode {
  readonly kind: 'directory';
  readonly entries: Map<string, Inode>;
}

export type Inode = FileNode | DirectoryNode;

export function newFile(writebackUs: number): FileNode {
  return { kind: 'file', content: new FileContent(writebackUs) };
}

export function newDirectory(): DirectoryNode {
  return { kind: 'directory', entries: new Map() };
}

/** Names along a path; `/` gives none. DiskError `not-found` for a path that is not absolute or climbs. */
export function namesOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (!path.startsWith('/') || names.includes('..')) {
    throw new DiskError('not-found', path, `${path}: not an absolute path without ..`);
  }
  return names;
}

/** Follows names from a directory; undefined when one is missing, `not-directory` when a file is in the way. */
export function walk(root: DirectoryNode, names: readonly string[], path: string): Inode | undefined {
  let node: Inode | undefined = root;
  for (const name of names) {
    if (node === undefined) return undefined;
    if (node.kind === 'file') throw new DiskError('not-directory', path, `${path}: not a directory`);
    node = node.entries.get(name);
  }
  return node;
}

/** Bytes of all files below. */
export function bytesBelow(node: Inode): number {
  if (node.kind === 'file') return node.content.size;
  let sum = 0;
  for (const child of node.entries.values()) sum += bytesBelow(child);
  return sum;
}

/** Calls `visit` for every file below. */
export function eachFile(node: Inode, visit: (file: FileNode, path: string) => void, path = ''): void {
  if (node.kind === 'file') {
    visit(node, path);
    return;
  }
  for (const [name, child] of node.entries) eachFile(child, visit, `${path}/${name}`);
}
