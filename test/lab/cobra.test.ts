import { describe, expect, it } from 'vitest';
import { type Command, exactArgs, noArgs } from '../../src/lab/cobra/command.ts';
import { flag } from '../../src/lab/cobra/flags.ts';
import { helpCommand } from '../../src/lab/cobra/help.ts';
import { parseCommand } from '../../src/lab/cobra/parse.ts';
import { tabulate } from '../../src/lab/cobra/tabwriter.ts';
import { expand, splitInput, splitWords } from '../../src/lab/shell/words.ts';
import { runTree } from '../../src/lab/talosctl/run-tree.ts';

const TREE: Command<string> = {
  use: 'tool',
  short: 'A tool',
  persistentFlags: [
    flag('nodes', 'strings', [], 'target nodes', { short: 'n' }),
    flag('verbose', 'bool', false, 'more'),
  ],
  commands: [
    {
      use: 'etcd',
      short: 'etcd',
      commands: [
        { use: 'members', short: 'list', args: noArgs, run: 'members' },
        { use: 'remove-member <id>', short: 'remove', aliases: ['rm'], args: exactArgs(1), run: 'remove' },
      ],
    },
    {
      use: 'apply',
      short: 'apply',
      args: noArgs,
      run: 'apply',
      flags: [
        flag('file', 'string', '', 'file', { short: 'f', required: true }),
        flag('insecure', 'bool', false, 'i', { short: 'i' }),
        flag('config-patch', 'stringArray', [], 'p', { short: 'p' }),
        flag('timeout', 'duration', 60_000_000, 't'),
      ],
    },
  ],
};

function run(line: string) {
  const words = splitWords(line).words ?? [];
  return parseCommand(TREE, words);
}

describe('command lines as cobra reads them', () => {
  it('takes persistent flags before and after the command', () => {
    for (const line of [
      '-n 10.0.0.1,10.0.0.2 etcd members',
      'etcd members --nodes=10.0.0.1 -n10.0.0.2',
      'etcd -n 10.0.0.1 members --nodes 10.0.0.2',
    ]) {
      const result = run(line);
      expect(result.error).toBeUndefined();
      if (result.error !== undefined) continue;
      expect([result.parsed.path, result.parsed.flags.list('nodes')]).toEqual([
        'tool etcd members',
        ['10.0.0.1', '10.0.0.2'],
      ]);
    }
  });

  it('bundles short flags and knows arrays from slices', () => {
    const result = run('apply -if a.yaml -p x,y -p z --timeout 1m30s');
    expect(result.error).toBeUndefined();
    if (result.error !== undefined) return;
    const { flags } = result.parsed;
    expect([flags.on('insecure'), flags.text('file'), flags.list('config-patch'), flags.number('timeout')]).toEqual([
      true,
      'a.yaml',
      ['x,y', 'z'],
      90_000_000,
    ]);
  });

  it.each([
    ['apply --fiel x', 'unknown flag: --fiel'],
    ['apply -q', "unknown shorthand flag: 'q' in -q"],
    ['apply -f', "flag needs an argument: 'f' in -f"],
    ['apply --file', 'flag needs an argument: --file'],
    ['apply -i', 'required flag(s) "file" not set'],
    ['apply -f x --timeout 90', 'invalid argument "90" for "--timeout" flag: time: missing unit in duration "90"'],
    ['apply -f x more', 'unknown command "more" for "tool apply"'],
    ['etcd remove-member', 'accepts 1 arg(s), received 0'],
    ['etcd membres', 'unknown command "membres" for "tool etcd"\n\nDid you mean this?\n\tmembers\n'],
  ])('%s is refused', (line, expected) => {
    expect(run(line).error).toBe(expected);
  });

  it('prints help and usage, commands in the order of their names', () => {
    const help = helpCommand(TREE, ['help', 'etcd'])!;
    expect(help).toEqual({
      isKnown: true,
      text: `etcd

Usage:
  tool etcd [command]

Available Commands:
  members         list
  remove-member   remove

Flags:
  -h, --help   help for etcd

Global Flags:
  -n, --nodes strings   target nodes
      --verbose         more

Use "tool etcd [command] --help" for more information about a command.
`,
    });
    expect(helpCommand(TREE, ['help', 'nothing'])).toMatchObject({
      isKnown: false,
      text: expect.stringMatching(
        /^Unknown help topic \[`nothing`\]\nUsage:\n {2}tool \[command\]\n[\s\S]*\n {2}help {4}Help about any command\n/,
      ),
    });
    expect(helpCommand(TREE, ['etcd', 'help'])).toBeUndefined();
  });

  it('the usage follows an error that is about the line, the group prints its help for a word it does not know', () => {
    const printed = (words: readonly string[]) => {
      const texts = { out: '', err: '' };
      const context = { out: (text: string) => (texts.out += text), err: (text: string) => (texts.err += text) };
      const { value } = runTree(TREE as never, words, context as never).next();
      return { ...texts, code: value };
    };
    expect(printed(['etdc'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^unknown command "etdc" for "tool"\n\nDid you mean this\?\n\tetcd\n\nUsage:\n {2}tool \[command\]\n[\s\S]*command\.\n\n$/,
      ),
    });
    expect(printed(['etcd', 'nothing'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^etcd\n\nUsage:/),
      err: '',
    });
    expect(printed(['apply', '--nothing']).err).toMatch(
      /^unknown flag: --nothing\n\nUsage:\n {2}tool apply \[flags\]\n/,
    );
  });

  it('understands quotes and refuses shell syntax', () => {
    expect(splitWords(`a 'b c' "d \\"e" f\\ g # h`)).toEqual({ words: ['a', 'b c', 'd "e', 'f g'] });
    expect(splitWords("etcdctl txn <<< $'a\\n\\'b\\''x ${ID}-${NONE}")).toEqual({
      words: ['etcdctl', 'txn', '<<<', "a\n'b'x", '${ID}-${NONE}'],
    });
    expect(splitInput(['a', '<<<', 'text', 'b'])).toEqual({ words: ['a', 'b'], stdin: 'text\n' });
    expect(splitInput(['a', '<<<'])).toContain('needs the text');
    expect(expand(['${ID}-${NONE}', 'x'], new Map([['ID', 'ab']]))).toEqual(['ab-', 'x']);
    expect(splitWords('a $HOME').error).toContain('"$" at column 3');
    expect(splitWords('a > b').error).toContain('">" at column 3');
    expect(splitWords("a 'b").error).toContain('never closed');
  });

  it('aligns columns as tabwriter does', () => {
    expect(
      tabulate([
        ['NODE', 'ID'],
        ['10.0.0.10', 'x'],
      ]),
    ).toBe('NODE        ID\n10.0.0.10   x\n');
  });
});
