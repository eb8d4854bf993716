import type { Random } from '../../platform/random.ts';

/**
 * How long something takes, as data: values at 0, 25, 50, 75 and 100 % of all draws, straight lines in between.
 * `source` says where the numbers come from, or `assumed`.
 */
export interface Timing {
  readonly quartilesUs: readonly [number, number, number, number, number];
  readonly source: string;
}

/** Equally likely from `minUs` to `maxUs`. */
export function between(minUs: number, maxUs: number, source: string): Timing {
  const step = (maxUs - minUs) / 4;
  const at = (quarter: number): number => minUs + Math.floor(step * quarter);
  return { quartilesUs: [minUs, at(1), at(2), at(3), maxUs], source };
}

export function drawUs(timing: Timing, random: Random): number {
  const [min, , , , max] = timing.quartilesUs;
  if (min === max) return min;
  const part = random.int(0, 3_999);
  const quarter = Math.floor(part / 1_000);
  const from = timing.quartilesUs[quarter]!;
  const to = timing.quartilesUs[quarter + 1]!;
  return from + Math.floor(((to - from) * (part - quarter * 1_000)) / 1_000);
}

/** What machined spends time on outside of waiting for others. Firmware, kernel and disks are the platform's. */
export interface Timings {
  /** From loading a service to its process being up, by service id; `default` for the others. */
  readonly serviceStart: Readonly<Record<string, Timing>>;
  /** From SIGTERM to the end of apid or trustd. */
  readonly serverStop: Timing;
  /** One task of a boot sequence that does nothing worth modelling. */
  readonly bootTask: Timing;
  /** Devices settling before udevd is healthy. */
  readonly udevSettle: Timing;
  /** usb-storage's delay_use. */
  readonly usbDelay: Timing;
  /** Formatting and mounting a partition. */
  readonly mount: Timing;
  /** Writing partition table, boot assets and file systems. */
  readonly install: Timing;
  /** DHCP from link up to a bound address. */
  readonly dhcp: Timing;
  /** From a change of inputs to the pass of the controller. */
  readonly controllerPass: Timing;
}
