import type { Random } from '../platform/random.ts';
import { Lane, type LaneBase } from './lane.ts';
import type { Nic } from './nic.ts';

/** A layer 2 segment: the cards that hear each other. */
export class Segment {
  readonly name: string;
  readonly base: LaneBase;
  readonly nics: Nic[] = [];
  #byMac = new Map<string, Nic>();
  #random: Random;

  constructor(name: string, base: LaneBase, random: Random) {
    this.name = name;
    this.base = base;
    this.#random = random;
  }

  attach(nic: Nic): void {
    this.nics.push(nic);
    this.#byMac.set(nic.mac, nic);
  }

  detach(nic: Nic): void {
    const at = this.nics.indexOf(nic);
    if (at >= 0) this.nics.splice(at, 1);
    if (this.#byMac.get(nic.mac) === nic) this.#byMac.delete(nic.mac);
  }

  byMac(mac: string): Nic | undefined {
    return this.#byMac.get(mac);
  }

  makeLane(from: string, to: string): Lane {
    return new Lane(from, to, this.base, this.#random.stream(`${from}>${to}`));
  }
}
