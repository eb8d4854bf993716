#!/usr/bin/env node
// In a clone the bundle is rebuilt when sources are newer; an installed package ships it.
import './engine.mjs';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
if (existsSync(join(root, 'src')) && existsSync(join(root, 'node_modules', 'esbuild'))) {
  const { buildIfStale } = await import('../scripts/build.mjs');
  await buildIfStale();
}
const bundle = join(root, 'dist', 'cli.mjs');
if (!existsSync(bundle)) {
  console.error('talosim: not built yet; run `npm run setup` in the clone first');
  process.exit(2);
}
await import(pathToFileURL(bundle).href);
