// Runs every scenario twice in one process, in another process, in the opposite order, and with every message encoded and
// decoded, and compares the full digests.   npm run determinism [-- --seeds N] [--only NAME]
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runScenario } from '../../src/lab/engine/run.ts';
import { openScenario } from '../../src/runner/scenario-file.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1' },
    only: { type: 'string' },
    child: { type: 'boolean' },
    reverse: { type: 'boolean' },
  },
});
const files = readdirSync(join(root, 'scenarios'))
  .filter((name) => name.endsWith('.yaml') && (values.only === undefined || basename(name, '.yaml') === values.only))
  .sort();

/** `name seed` → digest. */
function digests(strictWire: boolean, reverse: boolean): Map<string, string> {
  const found = new Map<string, string>();
  const jobs = files.flatMap((file) =>
    Array.from({ length: Number(values.seeds) }, (_, index) => ({ file, seed: index + 1 })),
  );
  if (reverse) jobs.reverse();
  for (const { file, seed } of jobs) {
    const { scenario, deps } = openScenario(join(root, 'scenarios', file));
    found.set(`${file} ${seed}`, runScenario(scenario, { seed, digest: 'full', strictWire }, deps).digest);
  }
  return found;
}

if (values.child === true) {
  console.log(JSON.stringify([...digests(false, values.reverse === true)]));
  process.exit(0);
}

const first = digests(false, false);
const others: [string, Map<string, string>][] = [
  ['again in this process, in the opposite order', digests(false, true)],
  ['in another process', inAnotherProcess()],
  ['with every message encoded and decoded', digests(true, false)],
];
let different = 0;
for (const [what, run] of others) {
  for (const [job, digest] of first) {
    if (run.get(job) === digest) continue;
    different++;
    console.log(
      `✕ ${job}: ${digest} differs from ${run.get(job) ?? 'nothing'} ${what}; compare two traces: talosim run scenarios/${job.split(' ')[0]} --seed ${job.split(' ')[1]} --trace FILE`,
    );
  }
}
console.log(`determinism: ${first.size} runs, ${others.length} ways each, ${different} differences`);
process.exit(different === 0 ? 0 : 3);

function inAnotherProcess(): Map<string, string> {
  const only = values.only === undefined ? [] : ['--only', values.only];
  const child = spawnSync(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(import.meta.url), '--child', '--seeds', values.seeds, ...only],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  if (child.status !== 0) throw new Error(child.stderr);
  return new Map(JSON.parse(child.stdout.trim().split('\n').at(-1)!) as [string, string][]);
}
