import type { Task } from '../../../platform/task.ts';
import type { Run } from '../context.ts';
import { apiVersion } from '../help.ts';

/** Tells what the words behind it name: nothing is asked of a server. */
export function* helpVerb(run: Run): Task<void> {
  run.help(run.args);
}

export function* versionVerb(run: Run): Task<void> {
  const { version } = run.context;
  run.line(`etcdctl version: ${version}`);
  run.line(`API version: ${apiVersion(version)}`);
}
