import type { LinkEffect, Nodes } from './faults.ts';

/** All active rules on one directed pair, added up. */
export type TotalEffect = Required<LinkEffect>;

interface Rule {
  readonly from: Nodes;
  readonly to: Nodes;
  readonly effect: LinkEffect;
}

const PARTS = 1_000_000;

/** The rules that faults of links stand for. Lanes read them when {@link version} changed. */
export class FaultRules {
  version = 0;
  #rules = new Set<Rule>();

  /** Adds a rule; the returned function takes it away. */
  add(from: Nodes, to: Nodes, effect: LinkEffect): () => void {
    const rule = { from, to, effect };
    this.#rules.add(rule);
    this.version++;
    return () => {
      if (this.#rules.delete(rule)) this.version++;
    };
  }

  effectOn(from: string, to: string): TotalEffect {
    let blocked = false;
    let clogged = false;
    let delayUs = 0;
    let jitterUs = 0;
    let passPpm = PARTS;
    let singlePpm = PARTS;
    let bandwidthBytesPerSec = Number.MAX_SAFE_INTEGER;
    for (const rule of this.#rules) {
      if (!matches(rule.from, from, rule.to, to)) continue;
      const effect = rule.effect;
      blocked ||= effect.blocked ?? false;
      clogged ||= effect.clogged ?? false;
      delayUs += effect.delayUs ?? 0;
      jitterUs += effect.jitterUs ?? 0;
      passPpm = Math.floor((passPpm * (PARTS - (effect.lossPpm ?? 0))) / PARTS);
      singlePpm = Math.floor((singlePpm * (PARTS - (effect.duplicatePpm ?? 0))) / PARTS);
      bandwidthBytesPerSec = Math.min(bandwidthBytesPerSec, effect.bandwidthBytesPerSec ?? Number.MAX_SAFE_INTEGER);
    }
    return {
      blocked,
      clogged,
      delayUs,
      jitterUs,
      lossPpm: PARTS - passPpm,
      duplicatePpm: PARTS - singlePpm,
      bandwidthBytesPerSec,
    };
  }
}

/** `'*'` means everybody but those named on the other side, so that a node set against `'*'` keeps its inner links. */
function matches(fromSide: Nodes, from: string, toSide: Nodes, to: string): boolean {
  if (fromSide === '*') return toSide === '*' || (toSide.includes(to) && !toSide.includes(from));
  if (!fromSide.includes(from)) return false;
  return toSide === '*' ? !fromSide.includes(to) : toSide.includes(to);
}
