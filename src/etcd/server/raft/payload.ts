import { InternalRaftRequest } from '../../../api/etcd/internal.ts';
import type { OpaqueData } from '../../../raft/index.ts';

/**
 * The content of a normal log entry. One object serves all members of a simulation: it is encoded once, when the first
 * write-ahead log needs its bytes, and decoded once, when it came from a disk or a real wire.
 */
export class Payload implements OpaqueData {
  readonly sizeBytes: number;
  #request: InternalRaftRequest | null;
  #bytes: Uint8Array | null;

  private constructor(request: InternalRaftRequest | null, bytes: Uint8Array | null, sizeBytes: number) {
    this.#request = request;
    this.#bytes = bytes;
    this.sizeBytes = sizeBytes;
  }

  static ofRequest(request: InternalRaftRequest): Payload {
    return new Payload(request, null, InternalRaftRequest.sizeBytes(request));
  }

  static ofBytes(bytes: Uint8Array): Payload {
    return new Payload(null, bytes, bytes.length);
  }

  get request(): InternalRaftRequest {
    if (this.#request === null) this.#request = InternalRaftRequest.decode(this.#bytes!);
    return this.#request;
  }

  get bytes(): Uint8Array {
    if (this.#bytes === null) this.#bytes = InternalRaftRequest.encode(this.#request!);
    return this.#bytes;
  }
}
