/** Reads a `talconfig.yaml`: placeholders, YAML, field tree. */

import type { DecodeContext } from '../decode/context.ts';
import { decodeStruct } from '../decode/decode.ts';
import { type EnvSource, fillPlaceholders } from '../env.ts';
import { type ConfigError, sortErrors } from '../errors.ts';
import type { ConfigObject } from '../schema/types.ts';
import { readYaml } from '../yaml/read.ts';
import { talconfigSpec } from './schema.ts';

export interface TalconfigText {
  readonly text: string;
  /** Shown in errors. */
  readonly file: string;
  /** Values for `${NAME}`; without them each placeholder is an error. */
  readonly env?: EnvSource;
}

export interface ReadTalconfig {
  readonly value: ConfigObject;
  readonly errors: readonly ConfigError[];
  /** Keys that mean nothing to us, or to talhelper. */
  readonly warnings: readonly ConfigError[];
}

/** Decodes the file; never throws. With any error the value may be incomplete. */
export function readTalconfig(source: TalconfigText, minor: number): ReadTalconfig {
  const filled = fillPlaceholders(source.text, source.file, source.env);
  const stream = readYaml(filled.text);
  const errors: ConfigError[] = [...filled.errors];
  for (const problem of stream.problems) {
    const { line, column } = stream.lines.at(problem.offset);
    errors.push({ file: source.file, line, column, path: '', message: problem.message, hint: problem.hint });
  }
  const root = stream.documents[0]?.root;
  if (root === undefined) {
    if (errors.length === 0) errors.push(wholeFile(source.file, 'the file is empty'));
    return { value: {}, errors, warnings: [] };
  }
  const context: DecodeContext = {
    file: source.file,
    lines: stream.lines,
    minor,
    path: [],
    errors: [],
    unmarshal: [],
    fatal: undefined,
    aliasDepth: 0,
  };
  const value = decodeStruct(context, talconfigSpec, root) ?? {};
  const isUnknownKey = (error: ConfigError): boolean => error.message.startsWith('unknown key');
  errors.push(...context.errors.filter((error) => !isUnknownKey(error)));
  return { value, errors: sortErrors(errors), warnings: context.errors.filter(isUnknownKey) };
}

/** A problem of the file as a whole. */
export function wholeFile(file: string, message: string, hint = ''): ConfigError {
  return { file, line: 0, column: 0, path: '', message, hint };
}
