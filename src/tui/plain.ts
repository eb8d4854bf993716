import { createInterface } from 'node:readline';
import type { Session } from '../lab/engine/session.ts';
import { ShellSession } from '../lab/shell/session.ts';
import { breathing } from '../runner/breathing.ts';

/** The lab without a screen: the scenario runs and events are lines; then lines of standard input are commands. */
export async function runPlain(session: Session): Promise<number> {
  const shell = new ShellSession(session, (text) => process.stdout.write(text));
  shell.greet();
  await breathing(shell.runSteps());
  shell.enter('status');
  let failed = false;
  if (process.stdin.isTTY !== true) {
    for await (const line of createInterface({ input: process.stdin })) {
      process.stdout.write(`${shell.prompt()}${line}\n`);
      const outcome = await breathing(shell.entered(line));
      if (outcome === 'quit') break;
      failed ||= outcome === 'failed';
    }
  }
  session.close();
  return failed ? 1 : 0;
}
