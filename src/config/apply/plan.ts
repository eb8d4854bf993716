/**
 * What applying a configuration does, decided before anything happens (reference/v1.11.3.md 4.2, 5;
 * lifecycle-api-cli.md A.8). The node carries the decision out; timers and reboots are its business.
 */

import { formatDuration } from '../../platform/text/duration.ts';
import { type Config, legacyOf, loadConfig } from '../config.ts';
import { validate } from '../validate/validate.ts';
import type { TalosVersion } from '../version.ts';
import { configDiff, rebootReason } from './immediate.ts';
import { type MachineFacts, runtimeValidate } from './runtime.ts';

export type ApplyMode = 'reboot' | 'auto' | 'no-reboot' | 'staged' | 'try';

/** Status codes of refusals. */
export type ApplyCode = 'InvalidArgument' | 'Unimplemented' | 'Unknown';

export interface ApplyRequest {
  readonly text: string;
  readonly mode: ApplyMode;
  readonly dryRun: boolean;
  /** How long a tried configuration stays, in microseconds; 0 means the default of one minute. */
  readonly tryTimeoutUs: number;
}

export interface ApplyContext {
  readonly version: TalosVersion;
  /** Active configuration; undefined in maintenance. */
  readonly current: Config | undefined;
  readonly facts: MachineFacts;
}

export interface ApplyRefusal {
  readonly kind: 'refused';
  readonly code: ApplyCode;
  readonly message: string;
}

export interface ApplyDecision {
  readonly kind: 'apply';
  readonly config: Config;
  /** Replace the active configuration now. */
  readonly activate: boolean;
  /** Write it to the STATE volume. */
  readonly persist: boolean;
  readonly reboot: boolean;
  /** Put the old configuration back after this time, in microseconds. */
  readonly revertAfterUs: number | undefined;
  /** Resolved mode of the answer; in maintenance always `reboot`, the zero of the enumeration. */
  readonly responseMode: ApplyMode;
  readonly details: string;
  readonly warnings: readonly string[];
}

export const DEFAULT_TRY_TIMEOUT_US = 60_000_000;

/** Decides; pure. Any request ends a revert that is pending, also one that is refused: the node sees to that first. */
export function planApply(request: ApplyRequest, context: ApplyContext): ApplyDecision | ApplyRefusal {
  return context.current === undefined
    ? planMaintenance(request, context)
    : planActive(request, context, context.current);
}

function planActive(request: ApplyRequest, context: ApplyContext, current: Config): ApplyDecision | ApplyRefusal {
  const refuse = (code: ApplyCode, message: string): ApplyRefusal => ({
    kind: 'refused',
    code,
    message,
  });
  const loaded = loadConfig(request.text, { version: context.version });
  if ('errors' in loaded) {
    return refuse('InvalidArgument', loaded.toolError);
  }
  const next = loaded.config;
  if (legacyOf(next) === undefined) {
    const advice = 'did you mean to patch the machine config instead?';
    return refuse('InvalidArgument', `the applied machine configuration doesn't contain v1alpha1 config, ${advice}`);
  }
  const checked = validate(next, { mode: context.facts.mode });
  if (checked.toolError !== undefined) {
    return refuse('InvalidArgument', checked.toolError);
  }
  const runtime = runtimeValidate(next, context.facts);
  if (runtime.error !== undefined) {
    return refuse('InvalidArgument', runtime.error);
  }
  const reason = rebootReason(current, next);
  if (reason !== undefined && (request.mode === 'no-reboot' || request.mode === 'try')) {
    return refuse('InvalidArgument', reason);
  }
  const mode = request.mode === 'auto' ? (reason === undefined ? 'no-reboot' : 'reboot') : request.mode;
  const appended = request.mode === 'auto' && reason !== undefined && !request.dryRun ? `: ${reason}` : '';
  const base = {
    kind: 'apply' as const,
    config: next,
    responseMode: mode,
    warnings: [...checked.warnings.map((warning) => warning.message), ...runtime.warnings],
  };
  if (request.dryRun) {
    const details = dryRunText(detailsOf(mode, request), configDiff(current, next));
    return { ...base, activate: false, persist: false, reboot: false, revertAfterUs: undefined, details };
  }
  return {
    ...base,
    activate: mode === 'no-reboot' || mode === 'try',
    persist: mode !== 'try',
    reboot: mode === 'reboot',
    revertAfterUs: mode === 'try' ? timeoutOf(request) : undefined,
    details: `${detailsOf(mode, request)}${appended}`,
  };
}

function timeoutOf(request: ApplyRequest): number {
  return request.tryTimeoutUs === 0 ? DEFAULT_TRY_TIMEOUT_US : request.tryTimeoutUs;
}

function detailsOf(mode: ApplyMode, request: ApplyRequest): string {
  switch (mode) {
    case 'reboot':
      return 'Applied configuration with a reboot';
    case 'staged':
      return 'Staged configuration to be applied after the next reboot';
    case 'try': {
      const shown = formatDuration(BigInt(timeoutOf(request)) * 1000n);
      const revert = `The config is applied in 'try' mode and will be automatically reverted back in ${shown}`;
      return `Applied configuration without a reboot\n${revert}`;
    }
    default:
      return 'Applied configuration without a reboot';
  }
}

function dryRunText(details: string, diff: string): string {
  return `Dry run summary:\n${details} (skipped in dry-run).\nConfig diff:\n\n${diff === '' ? 'No changes.' : diff}`;
}

function planMaintenance(request: ApplyRequest, context: ApplyContext): ApplyDecision | ApplyRefusal {
  const refuse = (code: ApplyCode, message: string): ApplyRefusal => ({
    kind: 'refused',
    code,
    message,
  });
  if (request.mode === 'no-reboot' || request.mode === 'staged') {
    const message = `apply configuration --mode='${request.mode}' is not supported in maintenance mode`;
    return refuse('Unimplemented', message);
  }
  const loaded = loadConfig(request.text, { version: context.version });
  if ('errors' in loaded) {
    return refuse('Unknown', `failed to parse config: ${loaded.toolError}`);
  }
  const checked = validate(loaded.config, { mode: context.facts.mode });
  if (checked.toolError !== undefined) {
    return refuse('InvalidArgument', `configuration validation failed: ${checked.toolError}`);
  }
  const runtime = runtimeValidate(loaded.config, context.facts);
  if (runtime.error !== undefined) {
    return refuse('InvalidArgument', `runtime configuration validation failed: ${runtime.error}`);
  }
  const summary = 'Dry run summary:\nNode is running in maintenance mode and does not have a config yet.';
  return {
    kind: 'apply',
    config: loaded.config,
    activate: !request.dryRun,
    persist: !request.dryRun,
    reboot: false,
    revertAfterUs: undefined,
    responseMode: 'reboot',
    details: request.dryRun ? summary : '',
    warnings: [...checked.warnings.map((warning) => warning.message), ...runtime.warnings],
  };
}
