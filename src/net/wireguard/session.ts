/** Messages that may come late within a session before they are taken for replays. */
const WINDOW = 2048;

/** The keys that one handshake gave two ends, known to each under an index of its own. */
export class Session {
  readonly localIndex: number;
  readonly remoteIndex: number;
  readonly createdAtUs: number;
  /** Only the end that began a handshake renews the session. */
  readonly isInitiator: boolean;
  #sent = 0;
  #highest = -1;
  #seen = new Set<number>();

  constructor(localIndex: number, remoteIndex: number, createdAtUs: number, isInitiator: boolean) {
    this.localIndex = localIndex;
    this.remoteIndex = remoteIndex;
    this.createdAtUs = createdAtUs;
    this.isInitiator = isInitiator;
  }

  nextCounter(): number {
    return this.#sent++;
  }

  /** Whether a message of this number is taken: each one once, and none that is far too late. */
  accepts(counter: number): boolean {
    if (counter <= this.#highest - WINDOW || this.#seen.has(counter)) return false;
    this.#seen.add(counter);
    for (; this.#highest < counter; this.#highest++) this.#seen.delete(this.#highest - WINDOW);
    return true;
  }
}
