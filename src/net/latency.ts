/**
 * A distribution of whole microseconds as quantiles: entry `i` of 17 is not exceeded by i/16 of the draws; between
 * two entries it is uniform. Integers only, so that every engine draws the same.
 */
export interface LatencyModel {
  readonly quantilesUs: readonly number[];
}

const STEPS = 16;

/** Uniform in [minUs, maxUs]. */
export function uniformLatency(minUs: number, maxUs: number): LatencyModel {
  const quantilesUs: number[] = [];
  for (let i = 0; i <= STEPS; i++) quantilesUs.push(minUs + Math.round(((maxUs - minUs) * i) / STEPS));
  return Object.freeze({ quantilesUs: Object.freeze(quantilesUs) });
}

/** Uniform in [minUs, maxUs] but for a sixteenth that reaches up to `tailUs`. */
export function tailedLatency(minUs: number, maxUs: number, tailUs: number): LatencyModel {
  const quantilesUs: number[] = [];
  for (let i = 0; i < STEPS; i++) quantilesUs.push(minUs + Math.round(((maxUs - minUs) * i) / (STEPS - 1)));
  quantilesUs.push(tailUs);
  return Object.freeze({ quantilesUs: Object.freeze(quantilesUs) });
}

/** Always the same: for tests. */
export function fixedLatency(us: number): LatencyModel {
  return uniformLatency(us, us);
}

/** One way on a switched LAN between virtual machines: 100 to 250 us, seldom up to 400 (assumed). */
export const lanLatency: LatencyModel = tailedLatency(100, 250, 400);

/** The value for one uniform 32-bit draw. */
export function latencyFor(quantilesUs: readonly number[], draw: number): number {
  const index = draw >>> 28;
  const low = quantilesUs[index]!;
  const span = quantilesUs[index + 1]! - low + 1;
  return low + Math.floor(((draw & 0x0fffffff) * span) / 0x10000000);
}

/** One way through a kernel's own loopback, of a machine whose typical value is `typicalUs`. */
export function loopbackLatency(typicalUs: number): LatencyModel {
  return uniformLatency(Math.max(typicalUs - 5, 1), typicalUs + 5);
}
