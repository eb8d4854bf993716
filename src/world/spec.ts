import type { BootImage } from '../platform/platform.ts';

/** A segment with its router. */
export interface WorldNetwork {
  readonly name: string;
  readonly cidr: string;
  readonly gateway?: string;
  readonly latencyUs?: number;
  readonly jitterUs?: number;
}

export interface WorldDisk {
  readonly name: string;
  readonly sizeBytes: number;
  readonly serial?: string;
  readonly wwid?: string;
  readonly model?: string;
  readonly transport?: string;
  readonly rotational?: boolean;
}

export interface WorldMachine {
  readonly name: string;
  /** What its DHCP reservation gives. */
  readonly address: string;
  readonly network: string;
  readonly disks: readonly WorldDisk[];
  readonly cpuCount: number;
  readonly memoryBytes: number;
  /** False: it stays off until somebody switches it on. */
  readonly powered: boolean;
}

/** Everything that makes a world; with the seed it determines the run. */
export interface WorldSpec {
  readonly seed: string;
  readonly talosVersion: string;
  readonly networks: readonly WorldNetwork[];
  readonly machines: readonly WorldMachine[];
  readonly loadBalancer?: { readonly address: string; readonly backends: readonly string[]; readonly port: number };
  readonly digest: 'fast' | 'full';
  /** Encode and decode every message. */
  readonly strictWire: boolean;
}

/** The installation medium of a release. */
export function mediumOf(talosVersion: string): BootImage {
  return { version: talosVersion, schematic: '', bootable: true };
}
