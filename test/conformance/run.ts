import { runRaftScripts } from './raft/main.ts';

/** `npm run conformance -- AREA ...`: replays recorded scripts or data of another implementation against ours. */
const AREAS: Readonly<Record<string, (args: readonly string[], print: (line: string) => void) => number>> = {
  raft: runRaftScripts,
};

const [area = '', ...args] = process.argv.slice(2);
const run = AREAS[area];
if (run === undefined) {
  console.error(`usage: npm run conformance -- AREA ...   (areas: ${Object.keys(AREAS).join(', ')})`);
  process.exitCode = 2;
} else {
  process.exitCode = run(args, (line) => console.log(line));
}
