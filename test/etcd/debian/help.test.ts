import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { VERBS } from '../../../src/etcd/ctl/commands.ts';
import type { CtlContext } from '../../../src/etcd/ctl/context.ts';
import { etcdctl } from '../../../src/etcd/ctl/etcdctl.ts';
import { realEtcdctl } from './servers.ts';

const binary = realEtcdctl();

/** Lines of 3.6 and of 3.4 that the other has not. */
const DIFFER: Readonly<Record<string, readonly RegExp[]>> = {
  '': [/^\t(auth|check|completion|migrate|make-mirror|role|user|snapshot (restore|status))\b/],
  defrag: [/--data-dir/],
  del: [/--range/],
  'endpoint status': [/items in the lists/],
  get: [/--(count-only|min-create-rev|max-create-rev|min-mod-rev|max-mod-rev)/],
  'member list': [/--consistency/],
  snapshot: [/^\t(restore|status)\b/],
  watch: [/--progress-notify/],
};

describe.skipIf(binary === undefined)('what etcdctl says of itself', () => {
  const theirs = (words: readonly string[]): string => spawnSync(binary!, words, { encoding: 'utf8' }).stdout;

  const ours = (words: readonly string[]): string => {
    let said = '';
    const say = (text: string): void => {
      said += text;
    };
    const context = { env: {}, out: say, err: say, version: '3.4.23' } as unknown as CtlContext;
    expect(etcdctl(words, context).next()).toEqual({ done: true, value: 0 });
    return said;
  };

  const names = ['', ...Object.keys(VERBS), 'alarm', 'endpoint', 'lease', 'member', 'snapshot', 'member bogus'];
  it.each(names)('etcdctl help %s', (name) => {
    const words = name === '' ? [] : name.split(' ');
    const same = (text: string): string[] =>
      text
        .replace(/^\t3\.4\.\d+$/m, '\t3.4.23')
        .split('\n')
        .filter((line) => !(DIFFER[name] ?? []).some((differs) => differs.test(line)));
    const wanted = theirs(['help', ...words]);
    expect(wanted).toContain('USAGE:');
    expect(same(ours(['help', ...words]))).toEqual(same(wanted));
    expect(ours([...words, '--help'])).toBe(ours(['help', ...words]));
  });
});
