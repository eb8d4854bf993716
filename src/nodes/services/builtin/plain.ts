import { nothingToCancel, type Task, wait } from '../../../platform/task.ts';
import { goQuoteList } from '../../../platform/text/quote.ts';
import type { Machine } from '../../machine.ts';
import type { Condition } from '../condition.ts';
import { etcFile, network, volume } from '../conditions.ts';
import { DEFAULT_HEALTH, type HealthSettings } from '../health.ts';
import { type Report, type Runner, restartForever, taskRunner } from '../runner.ts';
import type { ServiceDefinition } from '../service.ts';

/** Services whose inside is not modelled: they start, are healthy, and stop when asked. */

const STEADY: HealthSettings = Object.freeze({ ...DEFAULT_HEALTH, once: true });

/** Never settles. */
export function forever(): Task<never> {
  return wait<never>(() => nothingToCancel);
}

export function* alwaysHealthy(): Task<void> {}

/** Time that the process of a service takes to come up. */
export function* startDelay(machine: Machine, id: string): Task<void> {
  const { serviceStart } = machine.profile.timings;
  yield* machine.platform.clock.sleep(machine.draw(`start/${id}`, serviceStart[id] ?? serviceStart.default!));
}

function processRunner(machine: Machine, id: string, argv: readonly string[]): Runner {
  const name = `Process(${goQuoteList(argv)})`;
  return {
    name,
    run: (report: Report, stop) => {
      const pid = machine.nextPid();
      return taskRunner({
        name,
        started: `Process ${name} started with PID ${pid}`,
        stopping: `Sending SIGTERM to ${name}`,
        start: () => startDelay(machine, id),
        body: forever,
      }).run(report, stop);
    },
  };
}

function process(
  machine: Machine,
  id: string,
  argv: readonly string[],
  extra: Partial<ServiceDefinition> = {},
): ServiceDefinition {
  const { clock } = machine.platform;
  return {
    id,
    health: { settings: STEADY, check: alwaysHealthy },
    createRunner: () => restartForever(clock, processRunner(machine, id, argv)),
    ...extra,
  };
}

function goroutine(machine: Machine, id: string, extra: Partial<ServiceDefinition> = {}): ServiceDefinition {
  return {
    id,
    health: { settings: STEADY, check: alwaysHealthy },
    createRunner: () =>
      taskRunner({
        name: `Goroutine("${id}")`,
        started: 'Service started as goroutine',
        stopping: 'Service stopping',
        start: () => startDelay(machine, id),
        body: forever,
      }),
    ...extra,
  };
}

export function machinedService(machine: Machine): ServiceDefinition {
  return goroutine(machine, 'machined');
}

export function syslogdService(machine: Machine): ServiceDefinition {
  return goroutine(machine, 'syslogd', { dependsOn: ['machined'] });
}

export function auditdService(machine: Machine): ServiceDefinition {
  return goroutine(machine, 'auditd');
}

export function udevdService(machine: Machine): ServiceDefinition {
  return process(machine, 'udevd', ['/sbin/systemd-udevd', '--resolve-names=never'], {
    health: {
      settings: { initialDelayUs: 100_000, periodUs: 60_000_000, timeoutUs: 55_000_000, once: true },
      *check() {
        yield* machine.platform.clock.sleep(machine.draw('udev-settle', machine.profile.timings.udevSettle));
      },
    },
  });
}

export function containerdService(machine: Machine): ServiceDefinition {
  return process(machine, 'containerd', [
    '/bin/containerd',
    '--address',
    '/system/run/containerd/containerd.sock',
    '--state',
    '/system/run/containerd',
    '--root',
    '/system/var/lib/containerd',
  ]);
}

export function dashboardService(machine: Machine): ServiceDefinition {
  const { health: _none, ...definition } = process(machine, 'dashboard', ['/sbin/dashboard'], {
    dependsOn: ['machined'],
  });
  return definition;
}

export function criService(machine: Machine): ServiceDefinition {
  return process(
    machine,
    'cri',
    ['/bin/containerd', '--address', '/run/containerd/containerd.sock', '--config', '/etc/cri/containerd.toml'],
    {
      volumes: (): readonly Condition[] => [volume(machine, '/var/lib/containerd')],
      conditions: () => [network(machine, 'address', 'hostname', 'etcFiles'), etcFile(machine, 'machine-id')],
    },
  );
}
