// Bundles the benches as the command line is bundled, and runs them: what is measured is the code that users run.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// One folder below the root, as bench/ is: files are found from there.
const bundle = join(root, '.cache', 'bench.mjs');

await build({
  absWorkingDir: root,
  entryPoints: [join(root, 'bench', 'main.ts')],
  outfile: bundle,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['@grpc/grpc-js', 'fast-check'],
  banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
  logLevel: 'warning',
});
const engine = pathToFileURL(join(root, 'bin', 'engine.mjs')).href;
const args = ['--import', engine, bundle, ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 70);
