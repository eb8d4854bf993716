// Holds the last test report to ci/budget.yaml: seconds that the tests of each suite took, beside the column of the tier
// that ran. Timing is noisy where a machine is shared, so a suite fails only beyond three times its budget; a suite over
// its budget is printed with a mark, and a suite without a budget fails.   npm run budget [-- --report FILE]
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({ options: { report: { type: 'string', default: join(root, '.cache', 'tests.json') } } });
const reportFile = values.report;
const tier = process.env.TALOSIM_TIER ?? 'commit';
const LIMIT = 3;

const { suites } = parse(readFileSync(join(root, 'ci', 'budget.yaml'), 'utf8'));
if (!existsSync(reportFile)) {
  console.error('budget: no test report: run `npm test` first');
  process.exit(1);
}
const spent = spentSeconds(JSON.parse(readFileSync(reportFile, 'utf8')));
let failed = 0;
for (const [suite, seconds] of [...spent].sort((a, b) => b[1] - a[1])) {
  const budget = suites[suite]?.[tier];
  const verdict = verdictOf(seconds, budget);
  if (verdict.fails) failed++;
  console.log(
    `${verdict.mark} ${suite.padEnd(12)} ${seconds.toFixed(1).padStart(7)} s of ${budget ?? '?'} s${verdict.text}`,
  );
}
const total = [...spent.values()].reduce((sum, seconds) => sum + seconds, 0);
console.log(
  `budget: ${total.toFixed(0)} s of tests in tier ${tier}, ${failed} suites beyond ${LIMIT} times their budget`,
);
process.exit(failed === 0 ? 0 : 1);

function verdictOf(seconds, budget) {
  if (budget === undefined) return { mark: '✕', fails: true, text: `: ci/budget.yaml gives it none for tier ${tier}` };
  if (seconds > budget * LIMIT) return { mark: '✕', fails: true, text: ': far over' };
  return seconds > budget ? { mark: '!', fails: false, text: ': over' } : { mark: '✓', fails: false, text: '' };
}

/** Folder below test/ → seconds that its test files took, from first test to last. */
function spentSeconds(report) {
  const seconds = new Map();
  for (const { name, startTime, endTime } of report.testResults) {
    const suite = relative(join(root, 'test'), name).split(/[\\/]/)[0];
    seconds.set(suite, (seconds.get(suite) ?? 0) + (endTime - startTime) / 1000);
  }
  return seconds;
}
