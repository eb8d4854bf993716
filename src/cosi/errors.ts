import { describe, describePointer, type Metadata, type Phase, type Pointer } from './metadata.ts';

export type StateErrorCode =
  | 'not-found'
  | 'conflict' // already exists, pending finalizers
  | 'owner-conflict'
  | 'phase-conflict'
  | 'version-conflict'
  | 'invalid-bookmark'
  | 'buffer-overrun'
  | 'unsupported';

/** What a State refuses with; texts are COSI's (reference/controllers.md A.2). */
export class StateError extends Error {
  readonly code: StateErrorCode;
  /** What it is about; absent for errors of a watch. */
  readonly pointer: Pointer | undefined;
  constructor(code: StateErrorCode, message: string, pointer?: Pointer) {
    super(message);
    this.name = 'StateError';
    this.code = code;
    this.pointer = pointer;
  }

  /** Any of the conflicts; `not-found`, bookmark and support errors are none. */
  get isConflict(): boolean {
    return (
      this.code === 'conflict' ||
      this.code === 'owner-conflict' ||
      this.code === 'phase-conflict' ||
      this.code === 'version-conflict'
    );
  }
}

/** A controller did what it did not declare, or a declaration that is not possible. */
export class AccessError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AccessError';
  }
}

/** A pass of a controller failed for a reason of the world; it is tried again after the restart pause. */
export class ControllerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ControllerError';
  }
}

export function notFound(pointer: Pointer): StateError {
  return new StateError('not-found', `resource ${describePointer(pointer, 'undefined')} doesn't exist`, pointer);
}

export function alreadyExists(pointer: Pointer): StateError {
  return new StateError('conflict', `resource ${describePointer(pointer, 'undefined')} already exists`, pointer);
}

export function ownerConflict(metadata: Metadata): StateError {
  return new StateError('owner-conflict', `resource ${describe(metadata)} is owned by "${metadata.owner}"`, metadata);
}

export function versionConflict(metadata: Metadata, expected: number): StateError {
  return new StateError(
    'version-conflict',
    `resource ${describePointer(metadata, expected)} update conflict: expected version "${expected}", actual version "${metadata.version}"`,
    metadata,
  );
}

export function phaseConflict(metadata: Metadata, expected: Phase): StateError {
  return new StateError('phase-conflict', `resource ${describe(metadata)} is not in phase ${expected}`, metadata);
}

export function pendingFinalizers(metadata: Metadata): StateError {
  return new StateError(
    'conflict',
    `resource ${describe(metadata)} has pending finalizers [${metadata.finalizers.join(' ')}]`,
    metadata,
  );
}
