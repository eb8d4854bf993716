import { repeated } from '../../rpc/composite-fields.ts';
import { bytes, int32, nested, string } from '../../rpc/fields.ts';
import { type MessageOf, type MessageType, message } from '../../rpc/message.ts';
import { Any } from '../../rpc/well-known.ts';

/** Messages that every Talos service shares (reference/lifecycle-api-cli.md E.3, package common). */

export const RpcStatus = message('google.rpc.Status', {
  code: int32(1),
  message: string(2),
  details: repeated(nested(3, Any)),
});
export type RpcStatus = MessageOf<typeof RpcStatus>;

/** Who a part of a multi-node answer comes from, and how it failed there. */
export const Metadata = message('common.Metadata', {
  hostname: string(1),
  error: string(2),
  status: nested(3, RpcStatus),
});
export type Metadata = MessageOf<typeof Metadata>;

export const Data = message('common.Data', { metadata: nested(1, Metadata), bytes: bytes(2) });
export type Data = MessageOf<typeof Data>;

/** common.ContainerDriver */
export const ContainerDriver = { Containerd: 0, Cri: 1 } as const;

/** A response that carries one message for each node that answered. */
export function envelope<T>(
  typeName: string,
  element: MessageType<T>,
): MessageType<{ readonly messages: readonly T[] }> {
  return message(typeName, { messages: repeated(nested(1, element)) });
}
