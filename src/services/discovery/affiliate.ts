import { DiscoveredAffiliate } from '../../api/discovery.ts';
import { compareBytes } from '../../platform/bytes.ts';
import { RpcError } from '../../platform/rpc.ts';
import { ENDPOINTS_MAX } from './limits.ts';

export interface EndpointRecord {
  readonly data: Uint8Array;
  expiresUs: number;
}

/** What is left of an affiliate after its expired parts were taken away. */
export type Collected = 'unchanged' | 'endpoints-expired' | 'expired';

/** One member of a cluster. Times are monotonic. */
export class AffiliateRecord {
  readonly id: string;
  #data = new Uint8Array(0);
  #endpoints: EndpointRecord[] = [];
  #expiresUs = 0;
  #isNew = true;

  constructor(id: string) {
    this.id = id;
  }

  get expiresUs(): number {
    return this.#expiresUs;
  }

  get endpoints(): readonly EndpointRecord[] {
    return this.#endpoints;
  }

  get data(): Uint8Array {
    return this.#data;
  }

  /**
   * Takes an update in. True when watchers are to be told: always with data, even the same; without, when the affiliate or
   * one of the endpoints is new. ResourceExhausted when there are too many endpoints; those before the limit stay.
   */
  update(data: Uint8Array | null, endpoints: readonly Uint8Array[], expiresUs: number): UpdateResult {
    const tells = data !== null && data.length > 0;
    if (tells) this.#data = data as Uint8Array<ArrayBuffer>;
    this.#expiresUs = expiresUs;
    const wasNew = this.#isNew;
    this.#isNew = false;
    const { added, refused } = this.#merge(endpoints, expiresUs);
    return { notify: tells || wasNew || added, error: refused ? tooManyEndpoints() : undefined };
  }

  #merge(endpoints: readonly Uint8Array[], expiresUs: number): { readonly added: boolean; readonly refused: boolean } {
    let added = false;
    for (const data of endpoints) {
      const known = this.#endpoints.find((endpoint) => compareBytes(endpoint.data, data) === 0);
      if (known !== undefined) {
        known.expiresUs = expiresUs;
        continue;
      }
      if (this.#endpoints.length >= ENDPOINTS_MAX) return { added, refused: true };
      this.#endpoints.push({ data, expiresUs });
      added = true;
    }
    return { added, refused: false };
  }

  collect(nowUs: number): Collected {
    if (this.#expiresUs < nowUs) return 'expired';
    const kept = this.#endpoints.filter((endpoint) => endpoint.expiresUs > nowUs);
    if (kept.length === this.#endpoints.length) return 'unchanged';
    this.#endpoints = kept;
    return 'endpoints-expired';
  }

  /** As it is sent to clients. */
  export(): DiscoveredAffiliate {
    return DiscoveredAffiliate.of({
      id: this.id,
      data: this.#data,
      endpoints: this.#endpoints.map((endpoint) => endpoint.data),
    });
  }

  /** As it was before a restart. */
  static restored(
    id: string,
    data: Uint8Array,
    expiresUs: number,
    endpoints: readonly EndpointRecord[],
  ): AffiliateRecord {
    const record = new AffiliateRecord(id);
    record.#data = data as Uint8Array<ArrayBuffer>;
    record.#expiresUs = expiresUs;
    record.#endpoints = [...endpoints];
    record.#isNew = false;
    return record;
  }
}

export interface UpdateResult {
  readonly notify: boolean;
  readonly error: RpcError | undefined;
}

function tooManyEndpoints(): RpcError {
  return new RpcError('ResourceExhausted', 'too many endpoints in the affiliate');
}
