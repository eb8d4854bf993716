import { repeated } from '../../rpc/composite-fields.ts';
import { nested, string } from '../../rpc/fields.ts';
import { type MessageOf, message } from '../../rpc/message.ts';
import { Duration } from '../../rpc/well-known.ts';
import { Metadata } from './common.ts';

/** The health check of a whole cluster (reference/lifecycle-api-cli.md D, E.3). */
export const ClusterInfo = message('cluster.ClusterInfo', {
  controlPlaneNodes: repeated(string(1)),
  workerNodes: repeated(string(2)),
  forceEndpoint: string(3),
});
export const HealthCheckRequest = message('cluster.HealthCheckRequest', {
  waitTimeout: nested(1, Duration),
  clusterInfo: nested(2, ClusterInfo),
});
export type HealthCheckRequest = MessageOf<typeof HealthCheckRequest>;
export const HealthCheckProgress = message('cluster.HealthCheckProgress', {
  metadata: nested(1, Metadata),
  message: string(2),
});
