import { goQuote } from '../../platform/text/quote.ts';
import type { JsonObject, Status, StatusReason } from './object.ts';
import { qualifiedName, type ResourceType } from './resources.ts';

const CODES: Readonly<Record<StatusReason, number>> = Object.freeze({
  '': 500,
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Invalid: 422,
  UnsupportedMediaType: 415,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
});

/** A request that the API server refused or could not serve; travels as a Status object. */
export class KubeError extends Error {
  readonly reason: StatusReason;
  readonly code: number;
  readonly details: JsonObject | undefined;

  constructor(reason: StatusReason, message: string, details?: JsonObject) {
    super(message);
    this.name = 'KubeError';
    this.reason = reason;
    this.code = CODES[reason];
    this.details = details;
  }

  status(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      ...(this.details !== undefined && { details: this.details }),
      code: this.code,
    };
  }
}

function details(type: ResourceType, name: string): JsonObject {
  return { name, ...(type.group !== '' && { group: type.group }), kind: type.resource };
}

export function notFound(type: ResourceType, name: string): KubeError {
  return new KubeError('NotFound', `${qualifiedName(type)} "${name}" not found`, details(type, name));
}

export function alreadyExists(type: ResourceType, name: string): KubeError {
  return new KubeError('AlreadyExists', `${qualifiedName(type)} "${name}" already exists`, details(type, name));
}

export function conflict(type: ResourceType, name: string): KubeError {
  const what = 'the object has been modified; please apply your changes to the latest version and try again';
  return new KubeError(
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedName(type)} "${name}": ${what}`,
    details(type, name),
  );
}

export function forbidden(
  type: ResourceType,
  name: string,
  user: string,
  verb: string,
  namespace: string | undefined,
): KubeError {
  const scope = type.namespaced
    ? namespace === undefined
      ? ' at the cluster scope'
      : ` in the namespace "${namespace}"`
    : ' at the cluster scope';
  const subject = name === '' ? qualifiedName(type) : `${qualifiedName(type)} "${name}"`;
  return new KubeError(
    'Forbidden',
    `${subject} is forbidden: User "${user}" cannot ${verb} resource "${type.resource}" in API group "${type.group}"${scope}`,
  );
}

/** What is wrong with one field of an object. */
export interface FieldError {
  readonly field: string;
  readonly reason: 'FieldValueInvalid' | 'FieldValueRequired';
  /** `Invalid value: "x_y": …`, `Required value`. */
  readonly text: string;
}

export function requiredField(field: string, why = ''): FieldError {
  return { field, reason: 'FieldValueRequired', text: why === '' ? 'Required value' : `Required value: ${why}` };
}

export function invalidField(field: string, value: string, why: string): FieldError {
  return { field, reason: 'FieldValueInvalid', text: `Invalid value: ${goQuote(value)}: ${why}` };
}

/** An object that cannot be kept; clients tell of each field by itself. */
export function invalid(type: ResourceType, name: string, errors: readonly FieldError[]): KubeError {
  const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
  const texts = errors.map(({ field, text }) => `${field}: ${text}`);
  const causes = errors.map(({ field, reason, text }) => ({ reason, message: text, field }));
  return new KubeError(
    'Invalid',
    `${kind} ${goQuote(name)} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    { ...details(type, name), kind: type.kind, causes },
  );
}
