import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { splitFqdn } from '../controllers/network/hostname-spec.ts';
import type { Machine } from '../machine.ts';
import type { DhcpLease } from '../surroundings.ts';
import { NO_OUTPUTS, type Operator, type OperatorOutputs } from './operator.ts';

const RETRY_US = 5_000_000;

/** DHCP on one link (reference/network-config.md D.5). */
export class Dhcp4Operator implements Operator {
  readonly prefix: string;
  #machine: Machine;
  #link: string;
  #metric: number;
  #outputs: OperatorOutputs = NO_OUTPUTS;
  #stopping = false;
  #wake = new Notifier();

  constructor(machine: Machine, link: string, metric: number) {
    this.#machine = machine;
    this.#link = link;
    this.#metric = metric;
    this.prefix = `dhcp4/${link}`;
  }

  outputs(): OperatorOutputs {
    return this.#outputs;
  }

  stop(): void {
    this.#stopping = true;
    this.#wake.notify();
  }

  *run(notify: () => void): Task<void> {
    const { timings } = this.#machine.profile;
    while (!this.#stopping) {
      yield* this.#pause(this.#machine.draw('dhcp', timings.dhcp));
      const lease = this.#ask();
      if (lease === undefined) {
        if (this.#outputs !== NO_OUTPUTS) {
          this.#outputs = NO_OUTPUTS;
          notify();
        }
        yield* this.#pause(RETRY_US);
        continue;
      }
      this.#outputs = outputsOf(lease, this.#link, this.#metric);
      notify();
      yield* this.#pause(Math.max(Math.floor(lease.leaseUs / 2), RETRY_US));
    }
    this.#outputs = NO_OUTPUTS;
    notify();
  }

  #ask(): DhcpLease | undefined {
    const link = this.#machine.platform.net.links().find((candidate) => candidate.name === this.#link);
    return link === undefined ? undefined : this.#machine.surroundings.dhcp(link);
  }

  *#pause(durationUs: number): Task<void> {
    if (this.#stopping) return;
    const timer = this.#machine.platform.clock.after(durationUs, () => this.#wake.notify());
    try {
      yield* this.#wake.changed();
    } finally {
      timer.cancel();
    }
  }
}

function outputsOf(lease: DhcpLease, linkName: string, metric: number): OperatorOutputs {
  const layer = 'operator' as const;
  return {
    addresses: [{ address: lease.address, linkName, announceWithARP: false, layer }],
    routes:
      lease.gateway === undefined
        ? []
        : [{ dst: '0.0.0.0/0', gateway: lease.gateway, outLinkName: linkName, priority: metric, layer }],
    hostname: lease.hostname === undefined ? null : { ...splitFqdn(lease.hostname), layer },
    resolvers: lease.dnsServers === undefined ? null : { dnsServers: lease.dnsServers, layer },
    timeServers: lease.timeServers === undefined ? null : { timeServers: lease.timeServers, layer },
  };
}
