/**
 * Illegal use of the library, or a storage that broke its contract. The node that threw it must not be used
 * again; a host ends its process with the text (reference/raft.md, "Panics").
 */
export class RaftFatal extends Error {
  override readonly name = 'RaftFatal';
}
