import { int32, string } from '../../rpc/fields.ts';
import { type MessageType, message } from '../../rpc/message.ts';
import { service, unary } from '../../rpc/service.ts';

/** The standard health service, as far as etcd's clients use it. */

export const ServingStatus = { Unknown: 0, Serving: 1, NotServing: 2 } as const;

export interface HealthCheckRequest {
  readonly service: string;
}

export interface HealthCheckResponse {
  readonly status: number;
}

export const HealthCheckRequest: MessageType<HealthCheckRequest> = message('grpc.health.v1.HealthCheckRequest', {
  service: string(1),
});

export const HealthCheckResponse: MessageType<HealthCheckResponse> = message('grpc.health.v1.HealthCheckResponse', {
  status: int32(1),
});

export const HealthService = service('grpc.health.v1.Health', {
  Check: unary(HealthCheckRequest, HealthCheckResponse),
});
