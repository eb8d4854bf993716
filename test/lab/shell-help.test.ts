import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { missingArgument } from '../../src/lab/scenario/check.ts';
import { faultForm, faultOfWords } from '../../src/lab/shell/fault-words.ts';
import { SHELL_COMMANDS, shellHelp } from '../../src/lab/shell/help.ts';
import { OPERATOR_TOOLS } from '../../src/lab/tools/registry.ts';
import { FAULT_KINDS, OUTSIDE_SERVICES } from '../../src/world/fault.ts';
import { ROOT } from '../e2e/run.ts';

const TOOLS = OPERATOR_TOOLS.map(({ name }) => name);
const words = new Set(shellHelp(TOOLS).split(/[\s,;]+/));

it.each([...TOOLS, 'export', 'timeout', ...Object.keys(SHELL_COMMANDS), ...FAULT_KINDS, ...OUTSIDE_SERVICES])(
  'help names %s',
  (name) => {
    expect([...words]).toContain(name);
  },
);

it.each(FAULT_KINDS)('what help shows of %s is taken, and the documentation has it', (kind) => {
  const typed = faultForm(kind)
    .replaceAll('address,address', '10.0.0.5,10.0.0.6')
    .split(' ')
    .filter((word) => word !== '');
  const needed = typed.filter((word) => !word.startsWith('['));
  for (const some of [needed, typed.map((word) => word.replace(/^\[|\]$/g, ''))]) {
    const fault = faultOfWords(kind, some);
    expect(fault).toMatchObject({ fault: kind });
    expect(missingArgument(fault as never)).toBeUndefined();
  }
  expect(readFileSync(join(ROOT, 'docs', 'scenarios.md'), 'utf8')).toContain(`\`${kind}\``);
});
