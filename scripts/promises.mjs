// Holds the product to docs/promises.yaml: every emulate or simulate line that names tests must find them, run and
// green, in the last test report. Prints how many lines are kept.   npm run promises [-- --check]
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const reportFile = join(root, '.cache', 'tests.json');
const listFile = join(root, '..', 'shared', 'reference', 'promises.md');
const MARKS = ['E', 'S', 'M', 'lesson'];

const promises = parse(readFileSync(join(root, 'docs', 'promises.yaml'), 'utf8'));
const problems = [];
checkList();
const outcomes = existsSync(reportFile) ? readOutcomes() : undefined;
if (outcomes === undefined) problems.push('no test report: run `npm test` first');

const total = { due: 0, kept: 0, differing: 0 };
for (const [id, entry] of Object.entries(promises)) {
  if (!MARKS.includes(entry.mark)) problems.push(`${id}: mark "${entry.mark}" is none of ${MARKS.join(', ')}`);
  if (entry.mark === 'M' || entry.mark === 'lesson') continue;
  total.due++;
  const tests = entry.tests ?? [];
  const broken = outcomes === undefined ? [] : tests.filter((name) => outcomes.get(name) !== 'passed');
  for (const name of broken) problems.push(`${id}: test "${name}" is ${outcomes.get(name) ?? 'missing'}`);
  if (tests.length === 0 || broken.length > 0 || outcomes === undefined) continue;
  total.kept++;
  if (entry.differs !== undefined) total.differing++;
}
for (const problem of problems) console.error(problem);
console.log(
  `promises: ${total.kept} of ${total.due} emulate or simulate lines have a green test (${total.differing} of them for what the simulated release does instead)`,
);
process.exit(problems.length === 0 ? 0 : 1);

/** Every line of the outside list must be in the file, and no other. */
function checkList() {
  if (!existsSync(listFile)) {
    console.error('promises: the outside list is absent; checked the file against the tests only');
    return;
  }
  const listed = [...readFileSync(listFile, 'utf8').matchAll(/^\| (S\d-\d+) \|/gm)].map((match) => match[1]);
  for (const id of listed) if (!(id in promises)) problems.push(`${id}: not in docs/promises.yaml`);
  for (const id of Object.keys(promises)) if (!listed.includes(id)) problems.push(`${id}: not a line of the list`);
}

/** `file > suite > test` → state, from the runner's JSON report. */
function readOutcomes() {
  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const found = new Map();
  for (const file of report.testResults) {
    const path = relative(root, file.name).split('\\').join('/');
    for (const test of file.assertionResults)
      found.set(`${path} > ${[...test.ancestorTitles, test.title].join(' > ')}`, test.status);
  }
  return found;
}
