import { createInterface } from 'node:readline';
import type { ShellSession } from '../lab/shell/session.ts';
import { breathing } from '../runner/breathing.ts';
import { EXIT } from './exit.ts';

/** Takes the lines of standard input, each shown behind the prompt; the code tells whether one of them failed. */
export async function piped(session: ShellSession): Promise<number> {
  let code: number = EXIT.passed;
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${session.prompt()}${line}\n`);
    const outcome = await breathing(session.entered(line));
    if (outcome === 'quit') break;
    if (outcome === 'failed') code = EXIT.failed;
  }
  return code;
}
