import { isFolder, runConfigConformance } from './config-run.ts';
import { runRaftScripts } from './raft/main.ts';

/** `npm run conformance -- AREA ...`: replays recorded scripts or data of another implementation against ours. */
const AREAS: Readonly<Record<string, (args: readonly string[], print: (line: string) => void) => number>> = {
  raft: runRaftScripts,
  config: runConfigCases,
};

const [area = '', ...args] = process.argv.slice(2);
const run = AREAS[area];
if (run === undefined) {
  console.error(`usage: npm run conformance -- AREA ...   (areas: ${Object.keys(AREAS).join(', ')})`);
  process.exitCode = 2;
} else {
  process.exitCode = run(args, (line) => console.log(line));
}

/** Patch cases and generated configs below a folder. */
function runConfigCases([dir]: readonly string[], print: (line: string) => void): number {
  if (dir === undefined) {
    print('usage: npm run conformance -- config DIR');
    return 2;
  }
  if (!isFolder(dir)) {
    print(`${dir}: no such folder`);
    return 2;
  }
  const report = runConfigConformance(dir);
  print(report.text.trimEnd());
  if (report.cases.length === 0) {
    print(`${dir}: no cases: a folder has a patch-cases.tsv, templates, or is named after a contract, such as v1.9`);
    return 2;
  }
  return report.failed === 0 ? 0 : 1;
}
