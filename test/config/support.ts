/** Small configurations for tests, written as JSON, which is YAML. */
import { type Config, loadConfig } from '../../src/config/config.ts';
import { formatConfigError } from '../../src/config/errors.ts';
import type { Mode } from '../../src/config/validate/mode.ts';
import { validate } from '../../src/config/validate/validate.ts';
import { parseVersion } from '../../src/config/version.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Section = { [key: string]: Json };

/** base64 of "foo" and "bar": certificates are not parsed by validation. */
export const CRT = 'Zm9v';
export const KEY = 'YmFy';

const ENDPOINT: Section = { controlPlane: { endpoint: 'https://localhost:6443/' } };

/** A worker that validates in cloud mode. */
export function worker(machine: Section = {}, cluster: Section = {}, root: Section = {}): string {
  return JSON.stringify({
    version: 'v1alpha1',
    machine: { type: 'worker', ca: { crt: CRT }, ...machine },
    cluster: { ...ENDPOINT, ...cluster },
    ...root,
  });
}

/** A control plane that validates in cloud mode. */
export function controlPlane(machine: Section = {}, cluster: Section = {}, root: Section = {}): string {
  return worker({ type: 'controlplane', ca: { crt: CRT, key: KEY }, ...machine }, cluster, root);
}

/** Loads or fails the test. */
export function load(text: string, version = 'v1.11.3'): Config {
  const result = loadConfig(text, { version: parseVersion(version)! });
  if ('errors' in result) {
    throw new Error(result.errors.map(formatConfigError).join('\n'));
  }
  return result.config;
}

/** Located errors of a text that must not load. */
export function loadErrors(text: string, version = 'v1.11.3'): string[] {
  const result = loadConfig(text, { version: parseVersion(version)! });
  return 'errors' in result ? result.errors.map(formatConfigError) : [];
}

export interface Check {
  mode?: Mode;
  strict?: boolean;
  version?: string;
}

/** Error and warning messages of a configuration. */
export function check(
  text: string,
  options: Check = {},
): { errors: string[]; warnings: string[]; tool: string | undefined } {
  const result = validate(load(text, options.version), {
    mode: options.mode ?? 'cloud',
    strict: options.strict ?? false,
  });
  return {
    errors: result.errors.map((finding) => finding.message),
    warnings: result.warnings.map((finding) => finding.message),
    tool: result.toolError,
  };
}

export const errorsOf = (text: string, options: Check = {}): string[] => check(text, options).errors;
