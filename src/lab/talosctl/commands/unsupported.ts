import type { Task } from '../../../platform/task.ts';
import type { Command } from '../../cobra/command.ts';
import { NotSimulated, type Runner } from '../run.ts';

/** Commands of the real tool that the simulation has nothing for, each with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  cgroups: 'control groups are not simulated',
  cluster: 'it makes machines on your own computer; here a scenario file does',
  completion: 'there is no interactive shell to complete in',
  conformance: 'there are no test workloads',
  copy: 'node file systems are not exported',
  dashboard: 'use `talosim lab`',
  edit: 'there is no editor; use `talosctl apply-config` with a patch',
  image: 'nodes do not tell which images they have',
  inject: 'it edits Kubernetes manifests offline',
  meta: 'META is not exported',
  mounts: 'mounts are not exported',
  netstat: 'sockets are not exported',
  patch: 'use `talosctl apply-config` with a patch',
  pcap: 'packets are not exported; use `talosim run --trace`',
  processes: 'nodes do not tell of their processes',
  restart: 'use `talosctl service ID restart`',
  'rotate-ca': 'rotation of authorities is not simulated',
  stats: 'resource usage is not simulated',
  usage: 'node file systems are not exported',
  wipe: 'use `talosctl reset`',
};

export const unsupportedCommands: readonly Command<Runner>[] = Object.keys(REASONS).map((name) => ({
  use: name,
  short: '',
  hidden: true,
  args: () => undefined,
  run: function* (): Task<number> {
    throw new NotSimulated(`talosctl ${name} is not simulated: ${REASONS[name]}`);
  },
}));

/** Why a command can never run here; undefined when it can. */
export function unsupportedReason(name: string): string | undefined {
  return REASONS[name];
}
