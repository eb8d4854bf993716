import { deflateSync, inflateSync } from 'node:zlib';
import { eventLine } from '../sim/compare.ts';
import type { TraceEvent } from '../sim/trace.ts';

const FAST = 1;

/** Keeps the events of a run as text, so that two runs can be laid side by side; packed, a bring-up takes some 100 kB. */
export class TraceRecorder {
  readonly #lines: string[] = [];

  take(event: TraceEvent): void {
    this.#lines.push(eventLine(event));
  }

  packed(): Uint8Array {
    return deflateSync(this.#lines.join('\n'), { level: FAST });
  }
}

/** Says where two recorded runs part ways: the last event that both have, and the first that differs. */
export function differenceText(first: Uint8Array, second: Uint8Array): string {
  const left = unpacked(first);
  const right = unpacked(second);
  let index = 0;
  while (index < left.length && index < right.length && left[index] === right[index]) index++;
  if (index === left.length && index === right.length)
    return `  all ${index} events agree: what differs is not in the trace\n`;
  return [
    `  ${index} events agree, the last is    ${left[index - 1] ?? 'none'}`,
    `  the first that differs: one run  ${left[index] ?? 'has ended'}`,
    `                        the other  ${right[index] ?? 'has ended'}\n`,
  ].join('\n');
}

function unpacked(trace: Uint8Array): readonly string[] {
  const text = inflateSync(trace).toString('utf8');
  return text === '' ? [] : text.split('\n');
}
