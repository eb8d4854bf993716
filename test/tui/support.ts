import { Session } from '../../src/lab/engine/session.ts';
import { scenarioFromText } from '../../src/runner/scenario-file.ts';

const SCENARIO = `name: Two machines
network: { lan: { cidr: 10.0.0.0/24, gateway: 10.0.0.1 } }
machines:
  cp-1: { address: 10.0.0.10, disks: [{ name: /dev/sda, sizeGiB: 50 }] }
  cp-2: { address: 10.0.0.11, disks: [{ name: /dev/sda, sizeGiB: 50 }] }
steps:
  - { await: talosctl get disks --insecure -n 10.0.0.10, within: 5m }
`;

/** A session of two machines without configs. */
export function twoMachines(): Session {
  const { scenario, deps } = scenarioFromText(SCENARIO, 'two.yaml', () => undefined);
  return new Session(scenario, { seed: 1, digest: 'fast', strictWire: false }, deps);
}
