import type { HandlerEntry, RpcServer, TlsServer } from '../../platform/rpc.ts';
import type { Task } from '../../platform/task.ts';
import { activeSettings, controlPlaneSettings } from '../config/active.ts';
import type { Machine } from '../machine.ts';
import { addressOf } from '../net/addresses.ts';
import { HostnameStatuses, NodeAddresses } from '../resources/network.ts';
import { ApiCertificates } from '../resources/secrets.ts';
import { API_MESSAGE_BYTES, API_PORT, Peers } from './forward.ts';
import { allHandlers } from './handlers/all.ts';
import { rolesOf } from './roles.ts';
import { type RouterHost, routed } from './router.ts';

/** apid and the machined behind it. */
export class ApiServer implements RouterHost {
  #machine: Machine;
  #peers: Peers | undefined;
  /** Version of the certificates that the peers' connections use. */
  #peersVersion = 0;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  serve(tls: TlsServer): Task<RpcServer> {
    return this.#machine.platform.rpc.serve({
      address: '0.0.0.0',
      port: API_PORT,
      tls,
      handlers: this.#handlers(),
      maxReceiveBytes: API_MESSAGE_BYTES,
    });
  }

  #handlers(): readonly HandlerEntry[] {
    return routed(
      this,
      allHandlers(this.#machine, this, (context) => rolesOf(context, this.rbac())),
    );
  }

  isLocal(node: string): boolean {
    const { state } = this.#machine;
    const addresses = state.get(NodeAddresses, 'current')?.spec.addresses ?? [];
    const hostname = state.get(HostnameStatuses, 'hostname')?.spec.hostname;
    return node === hostname || node === '127.0.0.1' || addresses.some((address) => addressOf(address) === node);
  }

  rbac(): boolean {
    return activeSettings(this.#machine.state)?.machine.features.rbac ?? true;
  }

  /** Only control planes have a client certificate to forward with. */
  peers(): Peers | undefined {
    const certificates = this.#machine.state.get(ApiCertificates, 'api');
    if (controlPlaneSettings(this.#machine.state) === undefined || certificates === undefined) return undefined;
    if (this.#peers !== undefined && this.#peersVersion === certificates.metadata.version) return this.#peers;
    this.#peers?.close();
    const { acceptedCAs, client } = certificates.spec;
    const tls = { serverCaPem: acceptedCAs.join(''), certificatePem: client.crt, keyPem: client.key };
    this.#peers = new Peers(this.#machine.platform.rpc, tls);
    this.#peersVersion = certificates.metadata.version;
    return this.#peers;
  }
}
