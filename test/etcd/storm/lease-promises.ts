const SECOND = 1_000_000;

interface Promised {
  untilUs: number;
  /** What a checkpoint left to the next leader, and since when; 0 seconds: the whole time. */
  left: { readonly sec: number; readonly sinceUs: number };
}

/** How long each lease was promised to live, as whoever was granted or renewed it counts. */
export class LeasePromises {
  readonly #blame: (detail: string) => void;
  readonly #leases = new Map<string, Promised>();

  constructor(blame: (detail: string) => void) {
    this.#blame = blame;
  }

  made(id: string, untilUs: number): void {
    this.#leases.set(id, { untilUs, left: { sec: 0, sinceUs: 0 } });
  }

  /** A renewal that began at `begunUs` is acknowledged. */
  renewed(
    id: string,
    begunUs: number,
    untilUs: number,
    now: { readonly exists: boolean; readonly leads: boolean },
  ): void {
    if (!now.exists) this.#blame(`lease ${id} is renewed, but it is gone`);
    if (!now.leads) this.#blame(`lease ${id} is renewed by a member that does not lead any more`);
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    lease.untilUs = Math.max(lease.untilUs, untilUs);
    // A checkpoint from before was to be taken back first; one that came meanwhile stays, as with the real lessor.
    if (lease.left.sinceUs <= begunUs) lease.left = { sec: 0, sinceUs: 0 };
  }

  /** The leader is about to write down what is left; 0: the whole time. */
  checkpointProposed(id: string, sec: number, nowUs: number): void {
    const untilUs = this.#leases.get(id)?.untilUs ?? 0;
    if (sec > 0 && nowUs + sec * SECOND < untilUs)
      this.#blame(`${sec} s are written down for lease ${id} at ${nowUs} us, but it was promised until ${untilUs} us`);
  }

  checkpointed(id: string, sec: number, nowUs: number): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.left = { sec, sinceUs: nowUs };
  }

  /** Somebody leads anew: who was checkpointed has what the checkpoint says, from now on. */
  newLeader(nowUs: number): void {
    for (const lease of this.#leases.values()) {
      if (lease.left.sec > 0) lease.untilUs = Math.min(lease.untilUs, nowUs + lease.left.sec * SECOND);
    }
  }

  /** A client has it revoked. */
  withdrawn(id: string): void {
    this.#leases.delete(id);
  }

  /** The leader holds its time to be over. */
  revocationProposed(id: string, nowUs: number): void {
    const untilUs = this.#leases.get(id)?.untilUs ?? 0;
    if (untilUs > nowUs) this.#blame(`lease ${id} is revoked at ${nowUs} us, but was promised until ${untilUs} us`);
  }
}
