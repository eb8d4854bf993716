import { compareText } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { all, timeout } from '../../platform/combinators.ts';
import { TimeoutError } from '../../platform/errors.ts';
import type { Notifier } from '../../platform/signal.ts';
import type { Task, TaskScope } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';
import type { Condition } from './condition.ts';
import { Service, type ServiceDefinition, type ServiceHost } from './service.ts';
import { isDown, type ServiceEvent, type ServiceHealth } from './states.ts';

const DEPENDANTS_US = 30_000_000;

export interface ManagerOptions {
  readonly clock: Clock;
  readonly scope: TaskScope;
  readonly changed: Notifier;
  readonly onEvent: (service: Service, event: ServiceEvent, health: ServiceHealth) => void;
}

/** All services of the machine. */
export class ServiceManager {
  #services = new Map<string, Service>();
  #host: ServiceHost;
  #clock: Clock;
  #terminating = false;

  constructor(options: ManagerOptions) {
    this.#clock = options.clock;
    this.#host = {
      clock: options.clock,
      scope: options.scope,
      changed: options.changed,
      isUp: (id) => this.isUp(id),
      onEvent: options.onEvent,
    };
  }

  /** By id. */
  list(): readonly Service[] {
    return [...this.#services.values()].sort((a, b) => compareText(a.id, b.id));
  }

  find(id: string): Service | undefined {
    return this.#services.get(id);
  }

  get(id: string): Service {
    const service = this.#services.get(id);
    if (service === undefined) throw new NodeError(`service "${id}" not defined`);
    return service;
  }

  /** Makes a service known; one that is known already stays as it is. */
  load(definition: ServiceDefinition): Service {
    const known = this.#services.get(definition.id);
    if (known !== undefined) return known;
    const service = new Service(definition, this.#host);
    this.#services.set(definition.id, service);
    this.#host.changed.notify();
    return service;
  }

  /** Stops and forgets a service. */
  *unload(id: string): Task<void> {
    if (!this.#services.has(id)) return;
    yield* this.stop(id);
    this.#services.delete(id);
  }

  start(...ids: readonly string[]): void {
    if (this.#terminating) return;
    for (const id of ids) this.get(id).start();
  }

  loadAndStart(...definitions: readonly ServiceDefinition[]): void {
    for (const definition of definitions) this.load(definition);
    this.start(...definitions.map((definition) => definition.id));
  }

  /** Stops services and waits until they are down. Those that depend on them stay. */
  *stop(...ids: readonly string[]): Task<void> {
    for (const id of ids) this.get(id).requestStop();
    for (const id of ids) yield* this.get(id).waitUntilDown();
  }

  /** Stops services together with everything that depends on them, dependants first (≤ 30 s each). */
  *stopWithDependants(...ids: readonly string[]): Task<void> {
    const affected = this.#withDependants(ids.filter((id) => this.#services.has(id)));
    yield* all(affected.map((service) => this.#stopAfterDependants(service, affected)));
  }

  /** Stops everything; nothing starts any more. */
  *shutdown(): Task<void> {
    this.#terminating = true;
    const everything = this.list().filter((service) => service.active);
    yield* all(everything.map((service) => this.#stopAfterDependants(service, everything)));
  }

  *#stopAfterDependants(service: Service, affected: readonly Service[]): Task<void> {
    const dependants = affected.filter((other) => other.definition.dependsOn?.includes(service.id));
    try {
      yield* timeout(this.#clock, DEPENDANTS_US, waitUntilAllDown(dependants));
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
    }
    service.requestStop();
    yield* service.waitUntilDown();
  }

  #withDependants(ids: readonly string[]): readonly Service[] {
    const found = new Set(ids);
    for (let grew = true; grew; ) {
      grew = false;
      for (const service of this.#services.values()) {
        if (found.has(service.id) || !service.definition.dependsOn?.some((id) => found.has(id))) continue;
        found.add(service.id);
        grew = true;
      }
    }
    return [...found].map((id) => this.get(id)).filter((service) => service.active || !isDown(service.state));
  }

  isUp(id: string): Condition {
    return {
      describe: () => (this.#services.has(id) ? `service "${id}" to be "up"` : `service "${id}" to be registered`),
      met: () => this.#services.get(id)?.up === true,
    };
  }

  *waitUp(id: string, limitUs: number): Task<void> {
    const up = this.#host.changed.until(() => this.isUp(id).met());
    yield* timeout(this.#clock, limitUs, up, `service "${id}"`);
  }
}

function* waitUntilAllDown(services: readonly Service[]): Task<void> {
  for (const service of services) yield* service.waitUntilDown();
}
