import { EXIT } from '../cli/exit.ts';
import { piped } from '../cli/piped.ts';
import type { Session } from '../lab/engine/session.ts';
import { ShellSession } from '../lab/shell/session.ts';
import { breathing } from '../runner/breathing.ts';

/** The lab without a screen: the scenario runs and events are lines; then lines of standard input are commands. */
export async function runPlain(session: Session): Promise<number> {
  const shell = new ShellSession(session, (text) => process.stdout.write(text));
  shell.greet();
  await breathing(shell.runSteps());
  shell.enter('status');
  const code = process.stdin.isTTY === true ? EXIT.passed : await piped(shell);
  session.close();
  return code;
}
