import { utf8Decode } from '../../../platform/bytes.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import { showMeta } from '../../boot/sequences/initialize.ts';
import type { Machine } from '../../machine.ts';
import { invalidArgument } from '../errors.ts';

export function* writeMeta(machine: Machine, key: number, value: Uint8Array): Task<void> {
  if (key > 255) throw invalidArgument('key must be a uint8');
  machine.meta.set(key, utf8Decode(value));
  yield* machine.meta.flush();
  showMeta(machine);
}

export function* deleteMeta(machine: Machine, key: number): Task<void> {
  if (key > 255) throw invalidArgument('key must be a uint8');
  if (!machine.meta.delete(key)) throw new RpcError('NotFound', 'meta key not found');
  yield* machine.meta.flush();
  showMeta(machine);
}
