import type { Task } from '../../platform/task.ts';
import type { ClusterNodes } from './cluster-nodes.ts';
import type { KubernetesView } from './kubernetes-view.ts';
import type { NodeAsker } from './node-asker.ts';

/** What the checks look at. */
export interface HealthSubject {
  readonly nodes: ClusterNodes;
  readonly asker: NodeAsker;
  readonly kubernetes: KubernetesView;
}

/** One thing that must hold in a healthy cluster. */
export interface HealthCheck {
  /** What follows "waiting for". */
  readonly description: string;
  readonly intervalUs: number;
  readonly limitUs: number;
  /** Returns when it holds; throws NodeError with what is missing, NotApplicable when there is nothing to check. */
  run(subject: HealthSubject): Task<void>;
}

/** The check means nothing here and is passed over. */
export class NotApplicable extends Error {
  constructor() {
    super('not applicable');
    this.name = 'NotApplicable';
  }
}

export const SECOND_US = 1_000_000;
export const MINUTE_US = 60_000_000;

/** A check with the usual times (reference/v1.11.3.md 13). */
export function check(
  description: string,
  run: (subject: HealthSubject) => Task<void>,
  times: { readonly intervalUs?: number; readonly limitUs?: number } = {},
): HealthCheck {
  const { intervalUs = 5 * SECOND_US, limitUs = 5 * MINUTE_US } = times;
  return { description, intervalUs, limitUs, run };
}
