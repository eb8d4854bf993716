import type { Random } from '../../../src/platform/random.ts';
import type { PointKind } from './crash-points.ts';

interface Armed {
  readonly kind: PointKind | 'any';
  /** Nothing counts before an operation on such a path. */
  trigger: RegExp | undefined;
  /** Operations of that kind that still go well. */
  left: number;
  readonly after: boolean;
}

/** Members that will lose their power at some operation of their disk. */
export class ArmedCrashes {
  readonly #random: Random;
  readonly #armed = new Map<string, Armed>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** At one of the next `within` operations of a kind. */
  at(member: string, kind: PointKind, within: number): void {
    this.#arm(member, kind, undefined, within);
  }

  /** At one of the `within` operations that follow one on such a path. */
  after(member: string, trigger: RegExp, within: number): void {
    this.#arm(member, 'any', trigger, within);
  }

  clear(): void {
    this.#armed.clear();
  }

  fate(member: string, kind: PointKind, path: string): 'go on' | 'crash before' | 'crash after' {
    const armed = this.#armed.get(member);
    if (armed === undefined || (armed.kind !== 'any' && armed.kind !== kind)) return 'go on';
    if (armed.trigger?.test(path) === false) return 'go on';
    armed.trigger = undefined;
    if (armed.left-- > 0) return 'go on';
    this.#armed.delete(member);
    return armed.after ? 'crash after' : 'crash before';
  }

  #arm(member: string, kind: Armed['kind'], trigger: RegExp | undefined, within: number): void {
    const left = this.#random.int(0, within);
    this.#armed.set(member, { kind, trigger, left, after: this.#random.chance(500_000) });
  }
}
