/**
 * Illegal use of the library, or a storage that broke its contract. The node that threw it must not be used
 * again; a host ends its process with the text (reference/raft.md, "Panics").
 */
export class RaftFatal extends Error {
  override readonly name: string = 'RaftFatal';
}

/**
 * A message proved that this node lost durable state, or promised what it never held. etcd's raft panics here;
 * `RawNode.step` turns it into a halt, so that a peer's message never throws.
 */
export class DamagedLog extends RaftFatal {
  override readonly name: string = 'DamagedLog';
}
