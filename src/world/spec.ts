import type { NatSpec } from '../net/index.ts';
import type { BootImage } from '../platform/platform.ts';

/** A segment with its router. */
export interface WorldNetwork {
  readonly name: string;
  readonly cidr: string;
  readonly gateway?: string;
  /** The public address under which the internet sees the whole network, and the ports of it that lead inside. */
  readonly nat?: { readonly address: string; readonly forwards: NatSpec['forwards'] };
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
  /** Name of its network card as its kernel shows it; default `eth0`. */
  readonly link?: string;
  /** Hardware address of the card; default: derived from the names. */
  readonly mac?: string;
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
  /** A name server on the first network, that DHCP names and the workstation asks; without it names of the internet are known. */
  readonly dns?: { readonly address: string; readonly records: Readonly<Record<string, readonly string[]>> };
  /** Names beside those of the internet that every name server knows which is no host of this world. */
  readonly publicNames?: Readonly<Record<string, readonly string[]>>;
  /** Addresses that nothing of the world may take, because nobody or a shared address is to have them. */
  readonly reserved?: readonly string[];
  /** What right clocks show at the start, since the Unix epoch; default 2025-10-01. */
  readonly epochUs?: number;
  /** Extensions of an installer of the image factory, by the id of its schematic. */
  readonly schematics?: Readonly<Record<string, readonly string[]>>;
  readonly digest: 'fast' | 'full';
  /** Encode and decode every message. */
  readonly strictWire: boolean;
}

/** The installation medium of a release. */
export function mediumOf(talosVersion: string): BootImage {
  return { version: talosVersion, schematic: '', bootable: true };
}
