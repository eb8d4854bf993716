// Only what Biome cannot check: rules that need types, and the ban list of the deterministic layers.
import tseslint from 'typescript-eslint';
import { determinism } from './scripts/lint/determinism.mjs';
import { floatingTask } from './scripts/lint/floating-task.mjs';
import { moduleState } from './scripts/lint/module-state.mjs';

const CORE = [
  'platform',
  'raft',
  'rpc',
  'api',
  'cosi',
  'config',
  'etcd',
  'kube',
  'nodes',
  'services',
  'net',
  'sim',
  'world',
  'lab',
];

const plugin = { rules: { 'floating-task': floatingTask, determinism, 'module-state': moduleState } };

export default [
  { ignores: ['dist/**', 'node_modules/**'] },
  {
    files: ['src/**/*.ts', 'src/**/*.tsx', 'test/**/*.ts', 'test/**/*.tsx'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@typescript-eslint': tseslint.plugin, talosim: plugin },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      'talosim/floating-task': 'error',
      'no-unsafe-finally': 'error',
    },
  },
  {
    files: CORE.flatMap((layer) => [`src/${layer}/**/*.ts`]),
    rules: { 'talosim/determinism': 'error', 'talosim/module-state': 'error' },
  },
  {
    files: [
      'src/host/**/*.ts',
      'src/cli/**/*.ts',
      'src/tui/**/*.ts',
      'src/tui/**/*.tsx',
      'src/runner/**/*.ts',
      'src/gateway/**/*.ts',
    ],
    rules: { 'talosim/module-state': 'error' },
  },
];
