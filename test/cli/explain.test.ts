/** `talosim explain` refuses selectors that `validate` refuses, and lets a patch leave them out. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, expect, it } from 'vitest';
import { addExplainCommand } from '../../src/cli/commands/explain.ts';
import { selectorErrors } from '../../src/config/validate/validate.ts';
import { load } from '../config/support.ts';

const folder = mkdtempSync(join(tmpdir(), 'talosim-explain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const volume = (selector: string): string =>
  `apiVersion: v1alpha1\nkind: UserVolumeConfig\nname: data\nprovisioning:\n  minSize: 10GB\n${selector}`;
const matching = (expression: string): string => volume(`  diskSelector:\n    match: ${expression}\n`);

it('a selector that does not compile is refused with its place', () => {
  const file = join(folder, 'cel.yaml');
  writeFileSync(file, matching('disk.sizee > 3u'));
  const program = new Command();
  addExplainCommand(program);
  expect(() => program.parse(['node', 'talosim', 'explain', file])).toThrow(
    `${file}:7:5: provisioning.diskSelector.match: disk selector is invalid: ERROR: <input>:1:5: undefined field 'sizee'`,
  );
});

it('one that compiles, or is left out, is not', () => {
  expect(selectorErrors(load(matching('disk.size > 3u')))).toEqual([]);
  expect(selectorErrors(load(volume('')))).toEqual([]);
  expect(selectorErrors(load(matching('1 + 1')))).toHaveLength(1);
});
