import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { GUARANTEES } from '../lab/checkers/all.ts';
import type { SessionDeps } from '../lab/engine/session.ts';
import { type ClusterSize, clusterScenario } from '../lab/scenario/cluster-of.ts';
import { loadScenario } from '../lab/scenario/load.ts';
import type { Scenario } from '../lab/scenario/model.ts';
import { formatProblem } from '../lab/scenario/problem.ts';
import { OPERATOR_TOOLS } from '../lab/tools/registry.ts';
import { commandProblem } from '../lab/tools/shell.ts';
import { PROGRAMS } from '../world/program-set.ts';
import { BadInput, fileProblem } from './bad-input.ts';

/** Far more than the largest scenario that makes sense: YAML of this size still reads in a second. */
const MAX_SCENARIO_BYTES = 1_048_576;
const TALOS_VERSIONS: readonly string[] = ['v1.11.3'];

export interface OpenedScenario {
  readonly scenario: Scenario;
  readonly deps: SessionDeps;
}

/** Reads and checks a scenario file; all problems at once, each with its place. */
export function openScenario(file: string): OpenedScenario {
  return scenarioFromText(readScenario(file), file, readerIn(dirname(file)));
}

function readScenario(file: string): string {
  const name = file === '' ? '""' : file;
  if (!existsSync(file)) throw new BadInput(`${name}: no such file; scenarios of this package are in scenarios/`);
  const { size } = statSync(file);
  if (!statSync(file).isFile()) throw new BadInput(`${name}: not a file`);
  if (size > MAX_SCENARIO_BYTES)
    throw new BadInput(`${name}: ${size} bytes; a scenario has at most ${MAX_SCENARIO_BYTES}`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError)
      throw new BadInput(`${name}: not text but binary data; a scenario is YAML in UTF-8`);
    throw new BadInput(`${name}: ${fileProblem(error)}`);
  }
}

/** A cluster of that many machines, as a scenario that is written for it. */
export function openCluster(size: ClusterSize): OpenedScenario {
  const { text, files } = clusterScenario(size);
  return scenarioFromText(text, `${size.controlPlanes} control planes, ${size.workers} workers`, (path) => files[path]);
}

/** Checks the text of a scenario; `file` is what problems call it. */
export function scenarioFromText(text: string, file: string, readFile: SessionDeps['readFile']): OpenedScenario {
  const loaded = loadScenario(text, file, {
    guarantees: GUARANTEES,
    talosVersions: TALOS_VERSIONS,
    commandProblem: (words) => commandProblem(OPERATOR_TOOLS, words),
    fileExists: (path) => readFile(path) !== undefined,
  });
  if (loaded.problems !== undefined) throw new BadInput(loaded.problems.map(formatProblem).join('\n'));
  return { scenario: loaded.scenario, deps: { programs: PROGRAMS, tools: OPERATOR_TOOLS, readFile } };
}

/** Reads text files relative to a directory, each once: a run must not see a file change under it. */
export function readerIn(directory: string): (path: string) => string | undefined {
  const cache = new Map<string, string | undefined>();
  return (path) => {
    if (!cache.has(path)) {
      const full = isAbsolute(path) ? path : join(directory, path);
      cache.set(path, existsSync(full) && statSync(full).isFile() ? readFileSync(full, 'utf8') : undefined);
    }
    return cache.get(path);
  };
}
