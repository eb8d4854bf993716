import type { ContainerTiming } from './containers/containers.ts';
import type { DiskTiming } from './disk/volume.ts';
import { type Distribution, fixed, longTail, uniform } from './distribution.ts';

/** How long hardware, kernel and containerd take. All of it is data, so that a release profile can replace it. */
export interface SimTiming extends ContainerTiming {
  /** Firmware self test and boot loader, from power on. */
  readonly firmware: Distribution;
  /** Kernel and initramfs, until the supervisor runs. */
  readonly kernelStart: Distribution;
  /** From the end of the old kernel to the supervisor of the next, without firmware. */
  readonly kexec: Distribution;
  /** From a kernel panic to the restart. */
  readonly panicRestart: Distribution;
  /** A change of a partition table, a file system or a boot entry. */
  readonly diskLayout: Distribution;
  readonly disk: DiskTiming;
}

/** Plausible values for a virtual machine on a solid-state disk. All are assumed; a profile states its sources. */
export const ASSUMED_TIMING: SimTiming = Object.freeze({
  firmware: uniform(2_000_000, 6_000_000),
  kernelStart: uniform(2_000_000, 4_000_000),
  kexec: uniform(1_500_000, 3_000_000),
  // kernel.panic=10, which the kubelet asks for and Talos sets.
  panicRestart: fixed(10_000_000),
  diskLayout: uniform(20_000, 200_000),
  imagePull: longTail(2_000_000, 5_000_000, 20_000_000, 60_000_000),
  containerStart: uniform(100_000, 400_000),
  disk: { sync: longTail(300, 1_000, 6_000, 25_000), bytesPerSec: 300_000_000, writebackUs: 30_000_000 },
});
