/** What every input must come to: a configuration that all of the package can work on, or located errors. */

import { type Config, legacyOf, loadConfig } from '../../../src/config/config.ts';
import { decodeStream } from '../../../src/config/decode/documents.ts';
import { printDocuments } from '../../../src/config/encode/print.ts';
import { explain } from '../../../src/config/explain/explain.ts';
import { locateFinding, validate } from '../../../src/config/validate/validate.ts';
import { parseVersion } from '../../../src/config/version.ts';
import { specOf } from '../../../src/nodes/config/load.ts';
import { TALOS_V1_11_3 } from '../../../src/nodes/profile/v1_11_3.ts';

const VERSIONS = ['v1.11.3', 'v1.12.0', 'v1.15.0'].map((text) => parseVersion(text)!);

/** Empty when all is well, else what is wrong. */
export function outcomeProblem(text: string, pick: number): string {
  const version = VERSIONS[pick % VERSIONS.length]!;
  const result = loadConfig(text, { version, file: 'f.yaml' });
  if ('errors' in result) {
    const lines = text.split(/\r\n|\r|\n|\u0085|\u2028|\u2029/).length + 1;
    const bad = result.errors.find(
      (error) =>
        error.line < 1 || error.line > lines || error.column < 1 || error.message === '' || error.file !== 'f.yaml',
    );
    if (bad !== undefined) {
      return `badly located: ${JSON.stringify(bad)}`;
    }
    return result.errors.length === 0 || result.toolError === '' ? 'refused without an error' : '';
  }
  return configProblem(result.config);
}

function configProblem(config: Config): string {
  for (const mode of ['metal', 'cloud', 'container'] as const) {
    const result = validate(config, { mode, strict: mode === 'metal' });
    for (const finding of [...result.errors, ...result.warnings]) {
      locateFinding(config, finding);
    }
  }
  explain(config);
  if (legacyOf(config) !== undefined) specOf(config, TALOS_V1_11_3);
  return roundTripProblem(config);
}

/** parse ∘ print is identity. */
function roundTripProblem(config: Config): string {
  const { minor } = config.version;
  const printed = printDocuments(config.documents, { minor });
  const again = decodeStream(printed, { file: 'printed.yaml', minor });
  if (again.errors.length > 0) {
    return `printed text is refused: ${JSON.stringify(again.errors[0])}\n${printed}`;
  }
  const reprinted = printDocuments(again.documents, { minor });
  return reprinted === printed ? '' : `printing is not stable:\n${printed}\n----\n${reprinted}`;
}
