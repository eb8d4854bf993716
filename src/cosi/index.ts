export { deepEqual } from '../platform/deep-equal.ts';
export { AccessError, ControllerError, StateError } from './errors.ts';
export type { WatchEvent } from './event.ts';
export type { Metadata, Phase, Pointer } from './metadata.ts';
export type { LabelTerm, ListQuery } from './query.ts';
export { inNamespace, type PrintColumn, type Resource, type ResourceKind, resourceKind } from './resource.ts';
export { ControllerContext, type Reader } from './runtime/context.ts';
export {
  type Controller,
  destroyReady,
  exclusive,
  type Input,
  type Output,
  passController,
  shared,
  strong,
  weak,
} from './runtime/controller.ts';
export { isDefect } from './runtime/failure.ts';
export { type QueueController, RequeueLater } from './runtime/queue.ts';
export type { Dependency } from './runtime/registry.ts';
export { Runtime, type RuntimeOptions } from './runtime/runtime.ts';
export { joinErrors, NO_OUTPUT, SKIP, transformController } from './runtime/transform.ts';
export { State } from './state.ts';
export { Watch, type WatchOptions, waitFor, watchKind, watchOne } from './watch.ts';
