// Installs what a fresh clone lacks and builds the command line, both only when needed. Plain Node, no dependency.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = join(root, 'node_modules', '.talosim-lock');

function fail(message) {
  console.error(`talosim: ${message}`);
  process.exit(2);
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.error) fail(`cannot start ${command}: ${result.error.message}`);
  if (result.status !== 0) process.exit(result.status ?? 1);
}

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) fail(`Node ${process.versions.node} is too old; install Node 20 or newer and run this again`);

const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
const installed = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
if (installed !== lock) {
  console.error('talosim: installing packages (first run only) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stampFile, lock);
}
const { buildIfStale } = await import('./build.mjs');
await buildIfStale();
