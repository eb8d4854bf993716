import { eventKind } from '../platform/log.ts';

/** A resource was created, updated or destroyed. */
export const resourceWritten = eventKind<{
  readonly verb: 'created' | 'updated' | 'destroyed';
  readonly type: string;
  readonly id: string;
  readonly version: number;
  readonly owner: string;
}>('cosi.resource.written');

/** A pass of a controller ended with an error; it runs again after the pause. */
export const controllerFailed = eventKind<{
  readonly controller: string;
  readonly error: string;
  readonly pauseUs: number;
}>('cosi.controller.failed');
