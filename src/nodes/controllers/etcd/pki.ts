import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { ETCD, PkiStatuses } from '../../resources/etcd.ts';
import { EtcdRootSecrets, EtcdSecrets } from '../../resources/secrets.ts';
import type { FileStore } from '../../storage/files.ts';

export const ETCD_PKI = '/system/secrets/etcd';

/** Writes etcd's certificates; etcd reads them anew for each connection (reference/controllers.md B.1.3). */
export function etcdPkiController(files: FileStore): Controller {
  return passController({
    name: 'etcd.PKIController',
    inputs: [weak(EtcdRootSecrets, ETCD), weak(EtcdSecrets, ETCD)],
    outputs: [exclusive(PkiStatuses)],
    pass: function* (context) {
      const root = context.get(EtcdRootSecrets, ETCD);
      const secrets = context.get(EtcdSecrets, ETCD);
      if (root === undefined || secrets === undefined) return;
      const { etcdCA } = root.spec;
      const { etcd, etcdPeer, etcdAdmin } = secrets.spec;
      const pairs = { ca: etcdCA, server: etcd, peer: etcdPeer, admin: etcdAdmin };
      for (const [name, pair] of Object.entries(pairs)) {
        yield* files.write(`${ETCD_PKI}/${name}.crt`, pair.crt);
        yield* files.write(`${ETCD_PKI}/${name}.key`, pair.key);
      }
      context.set(PkiStatuses, ETCD, { ready: true, version: `${secrets.metadata.version}` });
    },
  });
}
