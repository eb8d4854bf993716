import { describe, expect, it } from 'vitest';
import { NodeError } from '../../src/nodes/errors.ts';
import { forever } from '../../src/nodes/services/builtin/plain.ts';
import type { Condition } from '../../src/nodes/services/condition.ts';
import { DEFAULT_HEALTH } from '../../src/nodes/services/health.ts';
import { ServiceManager } from '../../src/nodes/services/manager.ts';
import { restartForever, taskRunner } from '../../src/nodes/services/runner.ts';
import type { ServiceDefinition } from '../../src/nodes/services/service.ts';
import { Notifier } from '../../src/platform/signal.ts';
import type { Task } from '../../src/platform/task.ts';
import { TestWorld } from '../cosi/harness.ts';

const SECOND_US = 1_000_000;

class Services {
  readonly world = new TestWorld();
  readonly changed = new Notifier();
  readonly log: string[] = [];
  readonly manager = new ServiceManager({
    clock: this.world,
    scope: this.world.scope,
    changed: this.changed,
    onEvent: (service, event) => this.log.push(`${service.id} ${event.state}: ${event.message}`),
  });

  condition(text: string): Condition & { hold(): void } {
    let held = false;
    return {
      describe: () => text,
      met: () => held,
      hold: () => {
        held = true;
        this.changed.notify();
      },
    };
  }

  /** What was said since the last time. */
  said(): readonly string[] {
    return this.log.splice(0);
  }
}

function plain(id: string, extra: Partial<ServiceDefinition> = {}): ServiceDefinition {
  return {
    id,
    createRunner: () =>
      taskRunner({
        name: `Goroutine("${id}")`,
        started: 'Service started as goroutine',
        stopping: 'Service stopping',
        *start() {},
        body: forever,
      }),
    ...extra,
  };
}

describe('services (reference/lifecycle-api-cli.md B.1, reference/v1.11.3.md 3)', () => {
  it('start, are healthy after their first probe, and finish when stopped', () => {
    const { manager, world, said } = bind(new Services());
    manager.loadAndStart(plain('syslogd', { health: { settings: DEFAULT_HEALTH, check: succeed } }));
    world.advance(2 * SECOND_US);
    expect(said()).toEqual([
      'syslogd Starting: Starting service',
      'syslogd Preparing: Running pre state',
      'syslogd Preparing: Creating service runner',
      'syslogd Running: Service started as goroutine',
      'syslogd Running: Health check successful',
    ]);
    world.scope.spawn('stop', () => manager.stop('syslogd'));
    world.advance(SECOND_US);
    expect(said()).toEqual(['syslogd Stopping: Service stopping', 'syslogd Finished: Service finished successfully']);
  });

  it('say what they wait for at once and then once a second while it changes', () => {
    const services = new Services();
    const { manager, world, said } = bind(services);
    const [disk, time] = [services.condition('volume "x" to be mounted'), services.condition('time sync')];
    manager.loadAndStart(plain('etcd', { conditions: () => [disk, time] }));
    world.advance(SECOND_US / 2);
    expect(said()).toEqual([
      'etcd Starting: Starting service',
      'etcd Waiting: Waiting for volume "x" to be mounted, time sync',
    ]);
    disk.hold();
    world.advance(SECOND_US / 4);
    expect(said()).toEqual([]);
    world.advance(SECOND_US);
    expect(said()).toEqual(['etcd Waiting: Waiting for time sync']);
    time.hold();
    world.advance(0);
    expect(said()[0]).toBe('etcd Preparing: Running pre state');
  });

  it('announce what they wait for even when it is there already', () => {
    const services = new Services();
    const { manager, world, said } = bind(services);
    const time = services.condition('time sync');
    time.hold();
    manager.loadAndStart(plain('etcd', { conditions: () => [time] }));
    world.advance(0);
    expect(said().slice(0, 3)).toEqual([
      'etcd Starting: Starting service',
      'etcd Waiting: Waiting for time sync',
      'etcd Preparing: Running pre state',
    ]);
  });

  it('fail when they are stopped before they run', () => {
    const { manager, world, said } = bind(new Services());
    manager.loadAndStart(plain('etcd', { preStart: forever }));
    world.advance(0);
    said();
    world.scope.spawn('stop', () => manager.stop('etcd'));
    world.advance(0);
    expect(said()).toEqual(['etcd Failed: Failed to run pre stage: context canceled']);
    expect(manager.get('etcd').up).toBe(false);
  });

  it('fail with the reason of their pre stage, and stay so', () => {
    const { manager, world, said } = bind(new Services());
    manager.loadAndStart(
      plain('etcd', {
        *preStart() {
          throw new NodeError('no such thing');
        },
      }),
    );
    world.advance(60 * SECOND_US);
    expect(said().at(-1)).toBe('etcd Failed: Failed to run pre stage: no such thing');
  });

  it('are started again 5 s after their process ended', () => {
    const { manager, world, said } = bind(new Services());
    let runs = 0;
    const definition = plain('cri', {
      createRunner: () =>
        restartForever(world, {
          name: 'Containerd(cri)',
          *run(report) {
            report('Running', `run ${++runs}`);
            yield* world.sleep(SECOND_US);
            throw new NodeError('task "cri" failed: exit code 1');
          },
        }),
    });
    manager.loadAndStart(definition);
    world.advance(7 * SECOND_US);
    expect(said().slice(3)).toEqual([
      'cri Running: run 1',
      'cri Waiting: Error running Containerd(cri), going to restart forever: task "cri" failed: exit code 1',
      'cri Running: run 2',
      'cri Waiting: Error running Containerd(cri), going to restart forever: task "cri" failed: exit code 1',
    ]);
  });

  it('flip their health with every probe that differs, on a ticker', () => {
    const { manager, world, said } = bind(new Services());
    let broken = true;
    manager.loadAndStart(
      plain('trustd', {
        health: {
          settings: DEFAULT_HEALTH,
          *check() {
            if (broken) throw new NodeError('connection refused');
          },
        },
      }),
    );
    world.advance(1.5 * SECOND_US);
    expect(said().at(-1)).toBe('trustd Running: Health check failed: connection refused');
    broken = false;
    world.advance(4.4 * SECOND_US);
    expect(said()).toEqual([]);
    world.advance(0.2 * SECOND_US);
    expect(said()).toEqual(['trustd Running: Health check successful']);
  });

  it('are up when Finished, and remember having been up', () => {
    const { manager, world } = bind(new Services());
    const service = manager.load(plain('etcd', { preStart: forever }));
    service.start();
    world.advance(0);
    expect([service.up, service.timesUp]).toEqual([false, 0]);
    service.force('Finished', 'Bootstrap requested');
    service.force('Starting', 'Starting service');
    expect([service.up, service.timesUp]).toEqual([false, 1]);
  });

  it('stop after those that depend on them', () => {
    const { manager, world, said } = bind(new Services());
    manager.loadAndStart(plain('cri'), plain('kubelet', { dependsOn: ['cri'] }), plain('other'));
    world.advance(SECOND_US);
    said();
    world.scope.spawn('stop', () => manager.stopWithDependants('cri'));
    world.advance(SECOND_US);
    expect(said()).toEqual([
      'kubelet Stopping: Service stopping',
      'kubelet Finished: Service finished successfully',
      'cri Stopping: Service stopping',
      'cri Finished: Service finished successfully',
    ]);
  });

  it('wait for a dependency to exist, then to be up', () => {
    const { manager, world, said } = bind(new Services());
    manager.loadAndStart(plain('etcd', { dependsOn: ['cri'] }));
    world.advance(0);
    expect(said().at(-1)).toBe('etcd Waiting: Waiting for service "cri" to be registered');
    manager.load(plain('cri'));
    world.advance(2 * SECOND_US);
    expect(said().at(-1)).toBe('etcd Waiting: Waiting for service "cri" to be "up"');
    manager.start('cri');
    world.advance(0);
    expect(said().at(-1)).toBe('etcd Running: Service started as goroutine');
  });
});

function* succeed(): Task<void> {}

function bind(services: Services) {
  return { manager: services.manager, world: services.world, said: () => services.said() };
}
