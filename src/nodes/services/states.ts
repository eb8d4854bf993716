/** States of a service as `talosctl services` prints them (reference/lifecycle-api-cli.md B.1). */
export type ServiceState =
  | 'Initialized'
  | 'Starting'
  | 'Waiting'
  | 'Preparing'
  | 'Running'
  | 'Stopping'
  | 'Finished'
  | 'Failed'
  | 'Skipped';

export interface ServiceHealth {
  readonly unknown: boolean;
  readonly healthy: boolean;
  readonly lastMessage: string;
  readonly lastChangeUs: number;
}

export interface ServiceEvent {
  readonly state: ServiceState;
  readonly message: string;
  readonly atUs: number;
}

/** Nothing of it runs and nothing will by itself. */
export function isDown(state: ServiceState): boolean {
  return state === 'Finished' || state === 'Failed' || state === 'Skipped';
}

/** Events kept for each service. */
export const EVENTS_KEPT = 64;
