// Checks the layer table of docs/architecture.md: each folder of src imports only what its row allows. Reads the
// import graph with dependency-cruiser and refuses to pass when it saw fewer modules than there are files.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const LAYERS = {
  platform: [],
  raft: [],
  rpc: ['platform'],
  api: ['platform', 'rpc'],
  cosi: ['platform'],
  config: ['platform'],
  'etcd/client': ['platform', 'rpc', 'api'],
  'etcd/ctl': ['platform', 'rpc', 'api', 'etcd/client'],
  etcd: ['platform', 'rpc', 'api', 'raft'],
  'kube/objects': ['platform'],
  'kube/client': ['platform', 'rpc', 'api', 'kube/objects'],
  kube: ['platform', 'rpc', 'api', 'etcd/client', 'kube/client', 'kube/objects'],
  nodes: ['platform', 'rpc', 'api', 'cosi', 'config', 'etcd/client', 'kube/client', 'kube/objects'],
  services: ['platform', 'rpc', 'api'],
  net: ['platform'],
  sim: ['platform', 'net'],
  world: [
    'platform',
    'rpc',
    'api',
    'cosi',
    'config',
    'etcd',
    'etcd/client',
    'etcd/ctl',
    'kube',
    'kube/client',
    'kube/objects',
    'nodes',
    'services',
    'net',
    'sim',
  ],
  host: ['platform', 'rpc'],
};
const LAB = [...Object.keys(LAYERS).filter((name) => name !== 'host'), 'raft'];
LAYERS.lab = LAB;
LAYERS.runner = ['lab', ...LAB];
const EVERYTHING = [...Object.keys(LAYERS), 'cli', 'tui', 'gateway'];
// A host runs the programs that images stand for; only its entry script knows them.
const ENTRY_POINTS = { 'src/host/run-program.ts': ['etcd', 'services', 'kube', 'nodes', 'api'] };
for (const top of ['cli', 'tui', 'gateway']) LAYERS[top] = EVERYTHING;

function layerOf(file) {
  const parts = file.split('/');
  if (parts[0] !== 'src') return undefined;
  const nested = `${parts[1]}/${parts[2]}`;
  return nested in LAYERS ? nested : parts[1];
}

function countFiles(folder) {
  let count = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) count += countFiles(join(folder, entry.name));
    else if (/\.tsx?$/.test(entry.name)) count++;
  }
  return count;
}

process.chdir(root);
const result = await cruise(['src'], {
  tsPreCompilationDeps: true,
  tsConfig: { fileName: 'tsconfig.json' },
  doNotFollow: { path: 'node_modules' },
});
const modules = result.output.modules.filter((module) => module.source.startsWith('src/'));
const expected = countFiles(join(root, 'src'));
const problems = [];
if (modules.length < expected)
  problems.push(`saw ${modules.length} modules but src has ${expected} files: the check is blind`);
for (const module of modules) {
  const layer = layerOf(module.source);
  const allowed = LAYERS[layer];
  if (allowed === undefined) {
    problems.push(`${module.source}: folder ${layer} is not in the layer table`);
    continue;
  }
  for (const dependency of module.dependencies) {
    const target = layerOf(dependency.resolved);
    if (target === undefined || target === layer || allowed.includes(target)) continue;
    if (ENTRY_POINTS[module.source]?.includes(target.split('/')[0])) continue;
    problems.push(`${module.source}: ${layer} may not import ${target} (${dependency.resolved})`);
  }
}
for (const problem of problems) console.error(problem);
console.log(`layers: ${modules.length} modules, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
