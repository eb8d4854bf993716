/** Public face of the configuration package: load, validate, read, print, apply, explain. */
export { configDiff, rebootReason } from './apply/immediate.ts';
export {
  type ApplyContext,
  type ApplyDecision,
  type ApplyMode,
  type ApplyRefusal,
  type ApplyRequest,
  planApply,
} from './apply/plan.ts';
export { type MachineFacts, runtimeValidate } from './apply/runtime.ts';
export { booleanProblem } from './cel/check.ts';
export { celObject, evaluateBoolean } from './cel/evaluate.ts';
export {
  type Config,
  configOf,
  documentsOf,
  type LoadOptions,
  type LoadResult,
  legacyOf,
  loadConfig,
  locate,
} from './config.ts';
export {
  type ConfigDocument,
  type DecodedStream,
  decodeStream as decodeDocuments,
  decodeYaml,
} from './decode/documents.ts';
export { type PrintOptions, printDocuments, printStruct } from './encode/print.ts';
export { type EnvSource, parseEnvFile } from './env.ts';
export { type ConfigError, formatConfigError, formatPath, type Path } from './errors.ts';
export { type Explanation, explain } from './explain/explain.ts';
export { documentSpec, documentSpecs, kindSince } from './schema/registry.ts';
export type { ConfigObject, ConfigValue, DocumentSpec, Field, StructSpec, Type } from './schema/types.ts';
export { type CommandResult, runValidate, type ValidateCommand } from './validate/command.ts';
export type { Finding } from './validate/findings.ts';
export { type Mode, parseMode } from './validate/mode.ts';
export { type MachineRole, machineRole } from './validate/role.ts';
export { locateFinding, type Validation, validate } from './validate/validate.ts';
export { DEFAULT_VERSION, parseVersion, type TalosVersion } from './version.ts';
