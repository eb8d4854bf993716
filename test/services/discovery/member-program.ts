import { Affiliate } from '../../../src/api/discovery.ts';
import { compareText } from '../../../src/platform/bytes.ts';
import type { Process } from '../../../src/platform/containers.ts';
import type { Task } from '../../../src/platform/task.ts';
import { DiscoveryClient } from '../../../src/services/discovery/client.ts';
import { openAffiliate, sealAffiliate } from '../../../src/services/discovery/sealing.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 7);

/** A member that publishes its name and prints whom it sees: `member <service address> <port> <cluster> <name>`. */
export function* member({ argv, platform, signals, print }: Process): Task<number> {
  const [, address, port, clusterId, name] = argv as [string, string, string, string, string];
  const client = new DiscoveryClient(platform, {
    endpoint: { address, port: Number(port) },
    clusterId,
    affiliateId: `id of ${name}`,
    clientVersion: 'v1.11.3',
  });
  const { crypto } = platform;
  const self = Affiliate.of({ nodeId: `id of ${name}`, nodename: name });
  client.setLocal({ data: sealAffiliate(crypto, KEY, self), endpoints: [] });
  client.changed.listen(() => {
    const seen = [...client.affiliates().values()].map(({ data }) => openAffiliate(crypto, KEY, data)?.nodename ?? '?');
    print(`sees ${seen.sort(compareText).join(' ') || 'nobody'}`);
  });
  platform.scope.spawn('client', () => client.run());
  if ((yield* signals.receive()) === 'SIGTERM') yield* client.deleteLocal();
  return 0;
}
