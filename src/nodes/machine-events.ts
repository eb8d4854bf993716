import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { Kept } from './kept.ts';
import type { MachineStatusSpec } from './resources/runtime.ts';
import type { ServiceHealth, ServiceState } from './services/states.ts';

/** Why a sequence ended as it did, as the API numbers it. */
export type SequenceErrorCode = 'FATAL' | 'LOCKED' | 'CANCELED';

/** What the Events API streams (reference/lifecycle-api-cli.md A.1, E.4). */
export type MachineEventPayload =
  | {
      readonly type: 'SequenceEvent';
      readonly sequence: string;
      readonly action: 'NOOP' | 'START' | 'STOP';
      readonly error: { readonly code: SequenceErrorCode; readonly message: string } | null;
    }
  | { readonly type: 'PhaseEvent'; readonly phase: string; readonly action: 'START' | 'STOP' }
  | { readonly type: 'TaskEvent'; readonly task: string; readonly action: 'START' | 'STOP' }
  | {
      readonly type: 'ServiceStateEvent';
      readonly service: string;
      readonly state: ServiceState;
      readonly message: string;
      readonly health: ServiceHealth;
    }
  | { readonly type: 'MachineStatusEvent'; readonly status: MachineStatusSpec }
  | { readonly type: 'RestartEvent'; readonly cmd: number }
  | { readonly type: 'ConfigLoadErrorEvent'; readonly error: string }
  | { readonly type: 'AddressEvent'; readonly hostname: string; readonly addresses: readonly string[] };

export interface MachineEvent {
  /** 20 sortable characters. */
  readonly id: string;
  readonly atUs: number;
  /** Id of the API call behind it; empty for what the machine does by itself. */
  readonly actorId: string;
  readonly payload: MachineEventPayload;
}

const KEPT = 990;
const XID_DIGITS = '0123456789abcdefghijklmnopqrstuv';

/** The machine's event stream with its last 990 events. */
export class MachineEvents extends Kept<MachineEvent> {
  #clock: Clock;
  #random: Random;

  constructor(clock: Clock, random: Random) {
    super(KEPT);
    this.#clock = clock;
    this.#random = random;
  }

  publish(payload: MachineEventPayload, actorId = ''): void {
    const atUs = this.#clock.nowUs();
    this.add({ id: this.newId(), atUs, actorId, payload });
  }

  /** Exactly the last ones can be read, whatever else is still in memory. */
  override get start(): number {
    return Math.max(super.start, this.end - KEPT);
  }

  /** As an xid: four bytes of time, then random ones, in base 32. */
  newId(): string {
    const seconds = Math.floor(this.#clock.nowUs() / 1_000_000) >>> 0;
    const bytes = [seconds >>> 24, (seconds >>> 16) & 255, (seconds >>> 8) & 255, seconds & 255];
    bytes.push(...this.#random.bytes(8));
    let bits = 0;
    let held = 0;
    let out = '';
    for (const byte of bytes) {
      held = ((held << 8) | byte) & 0xffff;
      bits += 8;
      while (bits >= 5) {
        bits -= 5;
        out += XID_DIGITS[(held >>> bits) & 31]!;
      }
    }
    return bits === 0 ? out : out + XID_DIGITS[(held << (5 - bits)) & 31]!;
  }
}
