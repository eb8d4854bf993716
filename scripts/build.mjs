// Bundles the command line and the raft library with esbuild into dist/. `buildIfStale` skips it when nothing changed.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'dist', 'cli.mjs');

function newestMtimeMs(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const mtimeMs = entry.isDirectory() ? newestMtimeMs(path) : statSync(path).mtimeMs;
    if (mtimeMs > newest) newest = mtimeMs;
  }
  return newest;
}

/** True when dist/ is missing or older than the newest source file. */
export function isStale() {
  if (!existsSync(output)) return true;
  const builtMs = statSync(output).mtimeMs;
  return [join(root, 'src'), join(root, 'package.json')].some((path) =>
    statSync(path).isDirectory() ? newestMtimeMs(path) > builtMs : statSync(path).mtimeMs > builtMs,
  );
}

export async function build() {
  const { build: bundle } = await import('esbuild');
  const { metafile } = await bundle({
    absWorkingDir: root,
    metafile: true,
    entryPoints: {
      cli: join(root, 'src/cli/main.ts'),
      raft: join(root, 'src/raft/index.ts'),
      'run-program': join(root, 'src/host/run-program.ts'),
      worker: join(root, 'src/runner/worker.ts'),
    },
    outdir: join(root, 'dist'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['ink', 'react', 'react/*', '@grpc/grpc-js'],
    banner: { js: "import { createRequire as __cr } from 'node:module'; const require = __cr(import.meta.url);" },
    sourcemap: 'linked',
    logLevel: 'warning',
  });
  removeOlder(new Set(Object.keys(metafile.outputs)));
}

/** Chunks are named by their content: those of an earlier build would stay for ever. */
function removeOlder(outputs) {
  for (const name of readdirSync(join(root, 'dist'))) {
    if (/\.mjs(\.map)?$/.test(name) && !outputs.has(`dist/${name}`)) rmSync(join(root, 'dist', name));
  }
}

export async function buildIfStale() {
  if (isStale()) await build();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
