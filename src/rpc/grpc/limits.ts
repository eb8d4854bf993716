import { RpcError } from '../../platform/rpc.ts';

/** grpc-go receives messages of at most 4 MiB and sends any, unless it is told otherwise. */
export const DEFAULT_RECEIVE_BYTES = 4 * 1024 * 1024;
export const DEFAULT_SEND_BYTES = 0x7fff_ffff;

/** The refusal of a message before it is sent; undefined when it fits. */
export function tooLargeToSend(sizeBytes: number, maxBytes: number): RpcError | undefined {
  if (sizeBytes <= maxBytes) return undefined;
  return new RpcError('ResourceExhausted', `trying to send message larger than max (${sizeBytes} vs. ${maxBytes})`);
}

/** The refusal of a message that came; undefined when it fits. */
export function tooLargeReceived(sizeBytes: number, maxBytes: number): RpcError | undefined {
  if (sizeBytes <= maxBytes) return undefined;
  return new RpcError('ResourceExhausted', `grpc: received message larger than max (${sizeBytes} vs. ${maxBytes})`);
}
