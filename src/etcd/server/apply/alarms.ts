import type { Id64 } from '../../../api/etcd/kv.ts';
import { AlarmAction, type AlarmMember, type AlarmRequest, AlarmType } from '../../../api/etcd/maintenance.ts';

/** Alarms in force, by kind and member (reference/etcd.md C6). Replicated state. */
export class AlarmStore {
  #alarms: AlarmMember[] = [];
  readonly #changed: () => void;

  /** `changed` is called when the list has to become durable. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get all(): readonly AlarmMember[] {
    return this.#alarms;
  }

  has(type: number): boolean {
    return this.#alarms.some((alarm) => alarm.alarm === type);
  }

  list(type: number): readonly AlarmMember[] {
    return type === AlarmType.None ? this.#alarms : this.#alarms.filter((alarm) => alarm.alarm === type);
  }

  /** Applies a request; returns the alarms that the answer lists. */
  apply(request: AlarmRequest): readonly AlarmMember[] {
    if (request.action === AlarmAction.Get) return this.list(request.alarm);
    if (request.action === AlarmAction.Activate) return this.#activate(request.memberId, request.alarm);
    return request.action === AlarmAction.Deactivate ? this.#deactivate(request.memberId, request.alarm) : [];
  }

  restore(alarms: readonly AlarmMember[]): void {
    this.#alarms = [...alarms];
  }

  #activate(memberId: Id64, type: number): readonly AlarmMember[] {
    if (type === AlarmType.None) return [];
    const alarm: AlarmMember = { memberId, alarm: type };
    if (this.#find(memberId, type) === undefined) {
      this.#alarms.push(alarm);
      this.#changed();
    }
    return [alarm];
  }

  #deactivate(memberId: Id64, type: number): readonly AlarmMember[] {
    const alarm = this.#find(memberId, type);
    if (alarm === undefined) return [];
    this.#alarms = this.#alarms.filter((other) => other !== alarm);
    this.#changed();
    return [alarm];
  }

  #find(memberId: Id64, type: number): AlarmMember | undefined {
    return this.#alarms.find((alarm) => alarm.memberId === memberId && alarm.alarm === type);
  }
}
