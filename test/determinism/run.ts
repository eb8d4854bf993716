// Runs every scenario, as it stands and with each of its mistakes, twice in one process, in another process, in the
// opposite order, and with every message encoded and decoded, and compares the full digests. Where two differ it names the
// first event that does. Run in the project's folder.   npm run determinism [-- --seeds N] [--only NAME]
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runScenario } from '../../src/lab/engine/run.ts';
import { differenceText, TraceRecorder } from '../../src/runner/recorded-trace.ts';
import { openScenario } from '../../src/runner/scenario-file.ts';

interface Job {
  readonly file: string;
  readonly mistake?: string;
  readonly seed: number;
}

interface Recorded {
  readonly digest: string;
  readonly trace: Uint8Array;
}

type Pass = ReadonlyMap<string, Recorded>;

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1' }, only: { type: 'string' }, child: { type: 'boolean' } },
});

function jobs(): Job[] {
  const folder = join(process.cwd(), 'scenarios');
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const wanted = names.filter((name) => values.only === undefined || basename(name, '.yaml') === values.only).sort();
  if (wanted.length === 0) throw new Error(`no scenario is called ${values.only}; there are ${names.join(', ')}`);
  return wanted.flatMap((name) => {
    const file = join(folder, name);
    const variants = [{}, ...openScenario(file).scenario.mistakes.map((mistake) => ({ mistake: mistake.name }))];
    const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
    return variants.flatMap((variant) => seeds.map((seed) => ({ file, ...variant, seed })));
  });
}

function nameOf({ file, mistake, seed }: Job): string {
  return `${basename(file)}${mistake === undefined ? '' : ` --mistake ${mistake}`} --seed ${seed}`;
}

function record(job: Job, strictWire: boolean): Recorded {
  const { scenario, deps } = openScenario(job.file);
  const recorder = new TraceRecorder();
  const { digest } = runScenario(
    scenario,
    {
      seed: job.seed,
      ...(job.mistake !== undefined && { mistake: job.mistake }),
      digest: 'full',
      strictWire,
      watch: { onEvent: (event) => recorder.take(event) },
    },
    deps,
  );
  return { digest, trace: recorder.packed() };
}

function pass(list: readonly Job[], strictWire: boolean): Pass {
  return new Map(list.map((job) => [nameOf(job), record(job, strictWire)]));
}

/** What the child process tells: both of its passes, traces in base64. */
type Told = readonly (readonly (readonly [name: string, digest: string, trace: string])[])[];

function child(): void {
  const told: Told = [pass(jobs(), false), pass(jobs().reverse(), true)].map((one) =>
    [...one].map(([name, { digest, trace }]) => [name, digest, Buffer.from(trace).toString('base64')] as const),
  );
  process.stdout.write(JSON.stringify(told));
}

function inAnotherProcess(): Promise<readonly Pass[]> {
  const only = values.only === undefined ? [] : ['--only', values.only];
  const args = [...process.execArgv, fileURLToPath(import.meta.url), '--child', '--seeds', values.seeds, ...only];
  const process2 = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  process2.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    process2.on('error', reject);
    process2.on('close', (code) => {
      if (code !== 0) return reject(new Error(`the other process ended with ${code}`));
      const told = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Told;
      resolve(
        told.map(
          (one) => new Map(one.map(([name, digest, trace]) => [name, { digest, trace: Buffer.from(trace, 'base64') }])),
        ),
      );
    });
  });
}

function compare(first: Pass, ways: readonly (readonly [what: string, other: Pass])[]): number {
  let different = 0;
  for (const [what, other] of ways) {
    for (const [name, { digest, trace }] of first) {
      const twin = other.get(name)!;
      if (twin.digest === digest) continue;
      different++;
      process.stdout.write(`✕ ${name}: ${what} it is another run\n${differenceText(trace, twin.trace)}`);
    }
  }
  return different;
}

async function main(): Promise<number> {
  const elsewhere = inAnotherProcess();
  const first = pass(jobs(), false);
  const again = pass(jobs().reverse(), false);
  const [other, strict] = await elsewhere;
  const ways = [
    ['again in this process, in the opposite order,', again],
    ['in another process', other!],
    ['with every message encoded and decoded, in the opposite order,', strict!],
  ] as const;
  const different = compare(first, ways);
  console.log(`determinism: ${first.size} runs, ${ways.length} ways each, ${different} differences`);
  return different === 0 ? 0 : 3;
}

if (values.child === true) child();
else process.exitCode = await main();
