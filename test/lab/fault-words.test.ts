import { expect, it } from 'vitest';
import { senselessFault } from '../../src/lab/scenario/check.ts';
import type { Scenario } from '../../src/lab/scenario/model.ts';
import { faultOfWords } from '../../src/lab/shell/fault-words.ts';
import type { FaultKind } from '../../src/world/fault.ts';

const fault = (line: string) => {
  const [kind, ...words] = line.split(' ');
  return faultOfWords(kind as FaultKind, words);
};

it.each([
  ['loss cp-1 abc', 'loss: "abc" is not a number from 0 to 100'],
  ['loss cp-1 200', 'loss: "200" is not a number from 0 to 100'],
  ['delay cp-1 soon', 'delay: "soon" is neither a duration nor a number'],
  ['delay cp-1 5ms more', 'delay: "more" is one word too many; write it as: delay cp-1 20ms'],
  ['reboot cp-1 cp-2', 'reboot: "cp-2" is one word too many; write it as: reboot cp-1,cp-2'],
  ['dns-record api.example 10.0.0.5,zzz', 'dns-record: "zzz" is not an IPv4 address'],
  ['heal loss', 'heal: "loss" is one word too many; write it as: heal'],
  ['partition cp-1 cp-2 both', 'partition: "both" is neither nothing nor oneway'],
  [
    'service-down clock',
    'service-down: there is no service "clock"; there are discovery, time, registry, load-balancer, dns',
  ],
])('%s is refused with what to write', (line, complaint) => {
  expect(fault(line)).toBe(complaint);
});

it('typed faults are those of scenario files', () => {
  expect(fault('partition cp-1,cp-2 cp-3 oneway')).toEqual({
    fault: 'partition',
    machines: [],
    from: ['cp-1', 'cp-2'],
    to: ['cp-3'],
    oneWay: true,
  });
  expect(fault('clock-jump cp-1 -5m')).toEqual({ fault: 'clock-jump', machines: ['cp-1'], amount: -300_000_000 });
  expect(fault('loss cp-1 2.5')).toEqual({ fault: 'loss', machines: ['cp-1'], percent: 2.5 });
  expect(fault('partition cp-1')).not.toHaveProperty('to');
});

it('what would do nothing is told', () => {
  const senseless = (line: string) => senselessFault(fault(line) as never, {} as Scenario);
  expect(senseless('partition cp-1,cp-2 cp-2')).toBe('cp-2 stands on both sides');
  expect(senseless('clock-drift cp-1 9999999999')).toBe('a clock drifts by 500000 parts per million at most');
  expect(senseless('clock-drift cp-1 -500')).toBeUndefined();
  expect(senseless('delay cp-1 -5ms')).toBe('a delay cannot be negative');
  expect(senseless('service-down load-balancer')).toContain('services.loadBalancer');
  expect(senseless('dns-record api 10.0.0.5')).toContain('services.dns');
  expect(senseless('service-down time')).toBeUndefined();
});
