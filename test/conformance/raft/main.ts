import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { lineDiff } from './diff.ts';
import { replayFile, rewritten, scriptsBelow } from './replay.ts';

/** Replays every script below the given paths; the exit code. */
export function runRaftScripts(args: readonly string[], print: (line: string) => void): number {
  const flags = args.filter((arg) => arg.startsWith('--'));
  const unknown = flags.filter((flag) => !['--diff', '--logs', '--rewrite'].includes(flag));
  const paths = args.filter((arg) => !arg.startsWith('--'));
  if (paths.length === 0 || unknown.length > 0) {
    print('usage: npm run conformance -- raft PATH... [--diff] [--logs] [--rewrite]');
    print('  --diff  print the difference in the first case that fails of each script');
    print('  --logs  compare the lines that nodes log as well');
    print('  --rewrite  write what a script prints into it, first');
    return 2;
  }
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) {
    print(`there is no ${missing}`);
    return 2;
  }
  const files = paths.flatMap(scriptsBelow);
  if (files.length === 0) {
    print(`${paths.join(' ')}: no scripts: a script is a file that ends with .txt`);
    return 2;
  }
  if (flags.includes('--rewrite')) {
    for (const file of files) writeFileSync(file, rewritten(readFileSync(file, 'utf8')));
  }
  const outcomes = files.map((file) => replayFile(file, { withLogs: flags.includes('--logs') }));
  for (const { file, cases, failure } of outcomes) {
    if (failure === null) {
      print(`ok    ${file} (${cases} cases)`);
      continue;
    }
    print(`FAIL  ${file}:${failure.line} ${failure.directive}`);
    if (flags.includes('--diff')) print(lineDiff(failure.expected, failure.actual));
  }
  const failed = outcomes.filter(({ failure }) => failure !== null).length;
  print(`${outcomes.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
