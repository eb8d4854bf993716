/** Backends of a load balancer with their scores (reference/network-config.md B.3, reference/corrections.md 1a-10, 11, 39). */

const LOW = -3;
const HIGH = 3;
const INITIAL_SCORE = 1;
const INITIAL_TIER = 1;
const MAX_TIER = 5;

/** Connect times, in µs, from which a backend belongs to tier 1, 2, … */
const TIER_FROM_US: readonly number[] = Object.freeze([100, 1_000, 10_000, 100_000, 1_000_000]);

export interface Upstream {
  /** `host:port`. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
}

interface Node {
  readonly upstream: Upstream;
  score: number;
  tier: number;
}

/** The tier that a connect time puts a backend into. */
export function tierOf(connectUs: number): number {
  return TIER_FROM_US.filter((fromUs) => connectUs >= fromUs).length;
}

export class UpstreamList {
  #nodes: Node[] = [];
  #current = -1;
  #onUsable: (upstream: Upstream, usable: boolean) => void;

  /** `onUsable` is told when a backend begins or ceases to be picked. */
  constructor(onUsable: (upstream: Upstream, usable: boolean) => void) {
    this.#onUsable = onUsable;
  }

  get upstreams(): readonly Upstream[] {
    return this.#nodes.map((node) => node.upstream);
  }

  score(key: string): number | undefined {
    return this.#find(key)?.score;
  }

  /** Keeps score and tier of those that stay, drops the others, appends new ones; duplicates are one. */
  reconcile(wanted: readonly Upstream[]): void {
    const keys = new Set(wanted.map((upstream) => upstream.key));
    this.#nodes = this.#nodes.filter((node) => keys.has(node.upstream.key));
    for (const upstream of wanted) {
      if (this.#find(upstream.key) !== undefined) continue;
      this.#nodes.push({ upstream, score: INITIAL_SCORE, tier: INITIAL_TIER });
    }
  }

  /** The next usable backend of the best tier, in turn; undefined when none is usable. */
  pick(): Upstream | undefined {
    const count = this.#nodes.length;
    for (let tier = 0; tier <= MAX_TIER; tier++) {
      for (let step = 1; step <= count; step++) {
        const index = (this.#current + step) % count;
        const node = this.#nodes[index < 0 ? index + count : index]!;
        if (node.tier !== tier || node.score < 0) continue;
        this.#current = index;
        return node.upstream;
      }
    }
    return undefined;
  }

  /** A probe succeeded after `connectUs`. */
  up(key: string, connectUs: number): void {
    const node = this.#find(key);
    if (node === undefined) return;
    node.tier = Math.min(tierOf(connectUs), MAX_TIER);
    this.#change(node, 1);
  }

  /** A probe or a user's connection failed. */
  down(key: string): void {
    const node = this.#find(key);
    if (node !== undefined) this.#change(node, -1);
  }

  #change(node: Node, delta: number): void {
    const before = node.score >= 0;
    node.score = Math.max(LOW, Math.min(HIGH, node.score + delta));
    if (before !== node.score >= 0) this.#onUsable(node.upstream, !before);
  }

  #find(key: string): Node | undefined {
    return this.#nodes.find((node) => node.upstream.key === key);
  }
}
