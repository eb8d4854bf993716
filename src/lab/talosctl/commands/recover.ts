import { MachineService } from '../../../api/machine/services.ts';
import { RpcError } from '../../../platform/rpc.ts';
import type { Task } from '../../../platform/task.ts';
import type { ToolContext } from '../../tools/tool.ts';
import type { TalosClient } from '../client.ts';
import { CommandFailure } from '../run.ts';
import { snapshotInfo } from '../snapshot-info.ts';

const CHUNK_BYTES = 65_536;

/** Uploads the snapshot that `bootstrap --recover-from` names, before the bootstrap itself. */
export function* recoverFrom(client: TalosClient, context: ToolContext, path: string): Task<void> {
  const bytes = context.files.readBytes(path);
  if (bytes === undefined)
    throw new CommandFailure(`error opening snapshot file: open ${path}: no such file or directory`);
  const info = snapshotInfo(bytes);
  if (typeof info !== 'string') context.out(`recovering from snapshot "${path}": ${info.text}\n`);
  const stream = client.stream(MachineService.EtcdRecover);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    stream.send({ metadata: null, bytes: bytes.subarray(at, at + CHUNK_BYTES) });
    yield* stream.drained();
  }
  stream.closeSend();
  try {
    const answer = yield* stream.receive();
    const failure = answer?.messages.find((message) => (message.metadata?.error ?? '') !== '');
    if (failure !== undefined) throw new CommandFailure(`error uploading snapshot: ${failure.metadata!.error}`);
  } catch (error) {
    if (error instanceof RpcError) throw new CommandFailure(`error uploading snapshot: ${error.describe()}`);
    throw error;
  }
}
