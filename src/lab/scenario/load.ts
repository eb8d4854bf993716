import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { checkScenario } from './check.ts';
import { issueText } from './issue-text.ts';
import type { MistakeSpec, NetworkNat, Scenario } from './model.ts';
import { type Place, PlaceFinder } from './positions.ts';
import { didYouMean, type Problem } from './problem.ts';
import { type Mistake, type RawScenario, scenarioSchema } from './schema.ts';
import { StepReader } from './steps.ts';

/** What the loader must know of the rest to refuse what could never run. */
export interface ScenarioVocabulary {
  /** Names of guarantees that checkers watch. */
  readonly guarantees: readonly string[];
  readonly talosVersions: readonly string[];
  /** Why a command line could never run (unknown program, command or flag); undefined when it could. */
  readonly commandProblem: (words: readonly string[]) => string | undefined;
  /** True when a file named in the scenario can be read. */
  readonly fileExists: (path: string) => boolean;
}

export type LoadedScenario =
  | { readonly scenario: Scenario; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

const ONE_DOCUMENT = 'a second document begins here; a scenario is one: take out the line ---';

/** Reads a scenario file. Returns every problem at once, each with its place. */
export function loadScenario(text: string, file: string, vocabulary: ScenarioVocabulary): LoadedScenario {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const finder = new PlaceFinder(document, lines);
  const problems: Problem[] = document.errors.map((error) => ({
    file,
    ...finder.at(error.pos[0]),
    message: error.code === 'MULTIPLE_DOCS' ? ONE_DOCUMENT : `not YAML: ${error.message}`,
  }));
  if (problems.length > 0) return { problems };
  if (!isNode(document.contents))
    return {
      problems: [
        { file, line: 1, column: 1, message: 'the file is empty; a scenario needs name, network, machines and steps' },
      ],
    };
  const value = plainValue(document);
  if (value === undefined)
    return {
      problems: [{ file, line: 1, column: 1, message: 'its YAML aliases unfold to far too much; write it out' }],
    };
  const parsed = scenarioSchema.safeParse(value, { reportInput: true });
  if (!parsed.success)
    return { problems: sorted(parsed.error.issues.flatMap((issue) => issueProblems(issue, file, finder))) };
  const scenario = build(parsed.data, file, finder, vocabulary, problems);
  problems.push(...checkScenario(scenario, finder, vocabulary));
  return problems.length > 0 ? { problems: sorted(problems) } : { scenario };
}

/** The plain value; undefined when aliases of aliases would unfold without bound. */
function plainValue(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

function sorted(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function build(
  raw: RawScenario,
  file: string,
  finder: PlaceFinder,
  vocabulary: ScenarioVocabulary,
  problems: Problem[],
): Scenario {
  const reader = new StepReader(file, finder, vocabulary, problems);
  const networks = Object.entries(raw.network).map(([name, entry]) => ({
    name,
    cidr: entry.cidr,
    ...(entry.gateway !== undefined && { gateway: entry.gateway }),
    ...(entry.nat !== undefined && { nat: natOf(entry.nat) }),
    ...(entry.latency !== undefined && { latencyUs: entry.latency }),
    ...(entry.jitter !== undefined && { jitterUs: entry.jitter }),
  }));
  const machines = Object.entries(raw.machines).map(([name, entry]) => ({
    name,
    address: entry.address,
    network: entry.network ?? networks[0]?.name ?? '',
    disks: entry.disks ?? [{ name: '/dev/sda', sizeGiB: 50 }],
    cpuCount: entry.cpus ?? 4,
    memoryBytes: Math.round((entry.memoryGiB ?? 8) * 1073741824),
    powered: entry.powered ?? true,
  }));
  const balancer = raw.services?.loadBalancer;
  return {
    file,
    name: raw.name,
    ...(raw.teaches !== undefined && { teaches: raw.teaches }),
    talosVersion: raw.talos,
    networks,
    machines,
    ...(balancer !== undefined && {
      loadBalancer: { address: balancer.address, backends: balancer.backends, port: balancer.port ?? 6443 },
    }),
    ...(raw.services?.dns !== undefined && { dns: raw.services.dns }),
    schematics: raw.schematics,
    steps: reader.steps(raw.steps, ['steps']),
    expect: raw.expect,
    violates: raw.violates,
    mistakes: Object.entries(raw.mistakes).map(([name, entry]) => mistakeOf(name, entry, reader)),
  };
}

function natOf(entry: NonNullable<RawScenario['network'][string]['nat']>): NetworkNat {
  const forwards = entry.forward.map(({ protocol, port, to, toPort }) => ({
    protocol,
    port,
    to: { address: to, port: toPort ?? port },
  }));
  return { address: entry.address, forwards };
}

function mistakeOf(name: string, entry: Mistake, reader: StepReader): MistakeSpec {
  return {
    name,
    about: entry.about,
    ...(entry.after !== undefined && { after: entry.after }),
    ...(entry.before !== undefined && { before: entry.before }),
    skips: entry.skips ?? [],
    steps: reader.steps(entry.steps, ['mistakes', name, 'steps']),
    violates: entry.violates,
    ...(entry.expect !== undefined && { expect: entry.expect }),
    ...(entry.repair !== undefined && { repair: entry.repair }),
  };
}

function issueProblems(issue: z.core.$ZodIssue, file: string, finder: PlaceFinder): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      file,
      ...finder.find([...issue.path, key], 'key'),
      message: `unknown field "${key}"${issue.path.length > 0 ? ` in ${pathText(issue.path)}` : ''}`,
      ...suggestion(key, issue.path),
    }));
  }
  const place: Place = finder.find(issue.path);
  const { message, hint } = issueText(issue);
  const what = issue.path.length > 0 ? `${pathText(issue.path)}: ` : 'a scenario ';
  return [{ file, ...place, message: `${what}${message}`, ...(hint !== undefined && { hint }) }];
}

function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${String(step)}`;
  return text;
}

const TOP_LEVEL: readonly string[] = Object.keys(scenarioSchema.shape);

const FIELD_NAME = /^[A-Za-z]+$/;

function suggestion(key: string, path: readonly PropertyKey[]): { hint?: string } {
  if (path[0] === 'steps' && !FIELD_NAME.test(key))
    return { hint: 'inside { … } a comma begins a new field: put the command in quotes' };
  const near = path.length === 0 ? didYouMean(key, TOP_LEVEL) : undefined;
  return near === undefined ? {} : { hint: `did you mean "${near}"?` };
}
