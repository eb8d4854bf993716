import { openAffiliate, sealAffiliate } from '../../../src/nodes/discovery/affiliate.ts';
import { DiscoveryClient } from '../../../src/nodes/discovery/client.ts';
import type { Machine } from '../../../src/nodes/machine.ts';
import { TALOS_V1_11_3 } from '../../../src/nodes/profile/v1_11_3.ts';
import { compareText } from '../../../src/platform/bytes.ts';
import type { Process } from '../../../src/platform/containers.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { Task } from '../../../src/platform/task.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 7);

/** As much of a machine as its discovery client uses. */
function machineOn(platform: Platform): Machine {
  const surroundings = { dhcp: () => undefined, extensionsOf: () => [] };
  const part = { platform, random: platform.random.stream('machined'), profile: TALOS_V1_11_3, surroundings };
  return part as unknown as Machine;
}

/**
 * The discovery client of a Talos machine, alone: publishes its name and prints whom it sees.
 * `member <service address> <port> <cluster> <name>`; leaves at SIGTERM.
 */
export function* member({ argv, platform, signals, print }: Process): Task<number> {
  const [, host, port, clusterId, name] = argv as [string, string, string, string, string];
  const { crypto } = platform;
  const options = { host, port: Number(port), insecure: true, clusterId, affiliateId: `id of ${name}` };
  const client: DiscoveryClient = new DiscoveryClient(machineOn(platform), options, () => {
    const seen = client.others.map((data) => openAffiliate(crypto, KEY, data)?.nodename ?? '?');
    print(`sees ${seen.sort(compareText).join(' ') || 'nobody'}`);
  });
  const self = {
    nodeId: options.affiliateId,
    addresses: [],
    hostname: name,
    nodename: name,
    machineType: 'worker',
    operatingSystem: 'Talos (v1.11.3)',
    controlPlane: null,
  } as const;
  client.announce(sealAffiliate(crypto, KEY, self));
  platform.scope.spawn('client', () => client.run());
  if ((yield* signals.receive()) === 'SIGTERM') yield* client.withdraw();
  return 0;
}
