import { type FaultKind, type FaultSpec, OUTSIDE_SERVICES, type OutsideService } from '../../world/fault.ts';
import { parseIpv4 } from '../scenario/addresses.ts';
import { amountOf } from '../scenario/steps.ts';

/** How faults are typed; what is not here takes machines only. */
const FORMS: Partial<Readonly<Record<FaultKind, string>>> = {
  heal: '',
  partition: 'cp-1,cp-2 cp-3 [oneway]',
  'service-down': 'discovery',
  'service-up': 'discovery',
  'dns-record': 'name [address,address]',
  'alter-etcd': 'cp-1 /a/key',
  kill: 'cp-1 etcd',
  stop: 'cp-1 etcd',
  continue: 'cp-1 etcd',
  loss: 'cp-1 10',
  delay: 'cp-1 20ms',
  'clock-jump': 'cp-1 -5m',
  'clock-drift': 'cp-1 500',
  'disk-full': 'cp-1 [/dev/sda]',
  'disk-slow': 'cp-1 [/dev/sda]',
  'disk-errors': 'cp-1 [/dev/sda]',
  'blank-disk': 'cp-1 [/dev/sda]',
};

/** What is typed behind the kind of a fault: an example of each word, in brackets what may be left out. */
export function faultForm(kind: FaultKind): string {
  return FORMS[kind] ?? 'cp-1,cp-2';
}

/** A fault as typed: `partition cp-1,cp-2 cp-3 oneway`; a complaint when it does not fit. */
export function faultOfWords(kind: FaultKind, words: readonly string[]): FaultSpec | string {
  const form = faultForm(kind);
  const most = form === '' ? 0 : form.split(' ').length;
  if (words.length > most)
    return `${kind}: "${words[most]}" is one word too many; write it as: ${`${kind} ${form}`.trim()}`;
  const [first = '', second, third] = words;
  const machines = list(first);
  switch (kind) {
    case 'heal':
      return { fault: kind, machines: [] };
    case 'partition':
      if (third !== undefined && third !== 'oneway') return `${kind}: "${third}" is neither nothing nor oneway`;
      return { fault: kind, machines: [], ...sides(machines, list(second ?? '')), oneWay: third === 'oneway' };
    case 'service-down':
    case 'service-up':
      if (!(OUTSIDE_SERVICES as readonly string[]).includes(first))
        return `${kind}: there is no service "${first}"; there are ${OUTSIDE_SERVICES.join(', ')}`;
      return { fault: kind, machines: [], service: first as OutsideService };
    case 'dns-record':
      return withAddresses(first, list(second ?? ''));
    case 'alter-etcd':
      return { fault: kind, machines, ...(second !== undefined && { key: second }) };
    case 'kill':
    case 'stop':
    case 'continue':
      return { fault: kind, machines, ...(second !== undefined && { process: second }) };
    case 'loss': {
      if (second !== undefined && !isPercent(second)) return `${kind}: "${second}" is not a number from 0 to 100`;
      return { fault: kind, machines, ...(second !== undefined && { percent: Number(second) }) };
    }
    case 'delay':
    case 'clock-jump':
    case 'clock-drift':
      return withAmount(kind, machines, second);
    default:
      return { fault: kind, machines, ...(second !== undefined && { disk: second }) };
  }
}

function list(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}

function sides(from: readonly string[], to: readonly string[]): Pick<FaultSpec, 'from' | 'to'> {
  return { ...(from.length > 0 && { from }), ...(to.length > 0 && { to }) };
}

function withAddresses(record: string, addresses: readonly string[]): FaultSpec | string {
  const wrong = addresses.find((address) => parseIpv4(address) === undefined);
  if (wrong !== undefined) return `dns-record: "${wrong}" is not an IPv4 address`;
  return { fault: 'dns-record', machines: [], ...(record !== '' && { record }), addresses };
}

function isPercent(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text) && Number(text) <= 100;
}

function withAmount(kind: FaultKind, machines: readonly string[], text: string | undefined): FaultSpec | string {
  if (text === undefined) return { fault: kind, machines };
  const amount = amountOf(text);
  return amount === undefined
    ? `${kind}: "${text}" is neither a duration nor a number`
    : { fault: kind, machines, amount };
}
