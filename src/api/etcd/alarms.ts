import { decimalId } from './ids.ts';
import { ZERO_ID } from './kv.ts';
import { type AlarmMember, AlarmType } from './maintenance.ts';

const NAMES: Readonly<Record<number, string>> = Object.freeze({
  [AlarmType.None]: 'NONE',
  [AlarmType.NoSpace]: 'NOSPACE',
  [AlarmType.Corrupt]: 'CORRUPT',
});

/** `NOSPACE`, `CORRUPT`; the number of a kind that this release does not know. */
export function alarmName(type: number): string {
  return NAMES[type] ?? String(type);
}

/** An alarm as protobuf text with its trailing space: in the errors of a status, and as `etcdctl` prints it. */
export function alarmText({ memberId, alarm }: AlarmMember): string {
  const member = memberId === ZERO_ID ? '' : `memberID:${decimalId(memberId)} `;
  return alarm === AlarmType.None ? member : `${member}alarm:${alarmName(alarm)} `;
}
