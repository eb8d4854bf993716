import type { Command } from 'commander';
import { type Config, legacyOf } from '../../config/config.ts';
import { formatConfigError } from '../../config/errors.ts';
import { type Explanation, explain } from '../../config/explain/explain.ts';
import { machineRole } from '../../config/validate/role.ts';
import { selectorErrors } from '../../config/validate/validate.ts';
import { textAt } from '../../config/view.ts';
import { BadInput } from '../../runner/bad-input.ts';
import { EXIT } from '../exit.ts';
import { type ConfigFileFlags, collect, openConfig } from './config-file.ts';

interface ExplainFlags extends ConfigFileFlags {
  readonly json?: boolean;
}

/** `talosim explain FILE`. */
export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .description('list what each field of a machine config or patch changes in the simulation, and which are inert')
    .argument('<file>', 'machine config, or documents of one')
    .option('--json', 'print one JSON object')
    .option('-e, --env-file <file>', 'fill placeholders from NAME=value lines; repeatable', collect)
    .option('--talos-version <release>', 'the release to read the file for (default v1.11.3)')
    .action((file: string, flags: ExplainFlags) => {
      const config = openConfig(file, flags);
      const refused = selectorErrors(config);
      if (refused.length > 0) throw new BadInput(refused.map(formatConfigError).join('\n'));
      process.stdout.write(flags.json === true ? `${JSON.stringify(explainJson(config))}\n` : explainText(config));
      process.exitCode = EXIT.passed;
    });
}

/** The object that `--json` prints. */
export function explainJson(config: Config): object {
  return { file: config.file, talosVersion: config.version.text, type: typeOf(config), fields: explain(config) };
}

/** What acts, then what is inert, each in the order of the file with its line and the reason. */
export function explainText(config: Config): string {
  const all = explain(config);
  const acting = all.filter(({ effect }) => effect === 'acts');
  const inert = all.filter(({ effect }) => effect === 'inert');
  return [
    `${config.file}: ${typeOf(config)}, read for Talos ${config.version.text}`,
    '',
    `${acting.length} fields change what happens in the simulation:`,
    ...sectionLines(acting),
    '',
    `${inert.length} fields are accepted, checked and inert:`,
    ...sectionLines(inert),
    '',
  ].join('\n');
}

function sectionLines(fields: readonly Explanation[]): string[] {
  const where = fields.map(({ document, path }) => (document === 'v1alpha1.Config' ? path : `${document} ${path}`));
  const width = Math.min(60, Math.max(0, ...where.map((text) => text.length)));
  return fields.map(({ line, reason, deprecated }, index) => {
    const advice = deprecated === '' ? '' : ` (deprecated: ${deprecated})`;
    return `${String(line).padStart(6)}  ${where[index]!.padEnd(width)}  ${reason}${advice}`;
  });
}

/** The machine type, or what the file is without one. */
function typeOf(config: Config): string {
  const legacy = legacyOf(config);
  if (legacy === undefined) return 'documents without a v1alpha1 one';
  const role = machineRole(textAt(legacy, 'machine', 'type'));
  return role === 'unknown' ? `type "${textAt(legacy, 'machine', 'type')}"` : role;
}
