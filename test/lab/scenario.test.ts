import { describe, expect, it } from 'vitest';
import { loadScenario, type ScenarioVocabulary } from '../../src/lab/scenario/load.ts';
import { formatProblem } from '../../src/lab/scenario/problem.ts';

const vocabulary: ScenarioVocabulary = {
  guarantees: ['one-etcd-birth', 'one-leader-a-term'],
  talosVersions: ['v1.11.3'],
  commandProblem: (words) => (words[0] === 'talosctl' ? undefined : `unknown program "${words[0]}"`),
  fileExists: (path) => path === 'patches/cp-1.yaml',
};

const GOOD = `name: One machine
network:
  lan: { cidr: 10.0.0.0/24, gateway: 10.0.0.1 }
machines:
  cp-1: { address: 10.0.0.10 }
steps:
  - talosctl version
  - parallel:
      - { run: talosctl version, exit: 1, id: v }
      - { fault: power-off, machine: cp-1, at: 90s, background: true, as: cut }
  - { fault: heal, name: cut }
  - { advance: 1m30s }
  - { await: talosctl version, again: v, every: 3m }
mistakes:
  early:
    about: Too early.
    before: v
    steps: [talosctl bootstrap]
    violates: [one-etcd-birth]
`;

function problemsOf(text: string): string[] {
  const loaded = loadScenario(text, 's.yaml', vocabulary);
  return (loaded.problems ?? []).map(formatProblem);
}

describe('scenario files', () => {
  it('reads steps, faults, durations and mistakes', () => {
    const loaded = loadScenario(GOOD, 's.yaml', vocabulary);
    expect(loaded.problems).toBeUndefined();
    if (loaded.problems !== undefined) return;
    const { scenario } = loaded;
    expect(scenario.steps.map((step) => step.kind)).toEqual(['run', 'parallel', 'fault', 'advance', 'await']);
    expect(scenario.steps[4]).toMatchObject({ again: [{ id: 'v', exit: 1 }], everyUs: 180_000_000 });
    expect(scenario.steps[3]).toMatchObject({ durationUs: 90_000_000 });
    expect(scenario.machines[0]).toMatchObject({ name: 'cp-1', network: 'lan', disks: [{ name: '/dev/sda' }] });
    expect(scenario.mistakes[0]).toMatchObject({ name: 'early', before: 'v', violates: ['one-etcd-birth'] });
    const drifting = GOOD.replace('{ fault: heal, name: cut }', '{ fault: clock-drift, machine: cp-1, by: 500 }');
    expect(loadScenario(drifting, 's.yaml', vocabulary)).toMatchObject({
      scenario: {
        steps: expect.arrayContaining([expect.objectContaining({ fault: expect.objectContaining({ amount: 500 }) })]),
      },
    });
    const parallel = scenario.steps[1];
    expect(parallel?.kind === 'parallel' && parallel.steps[1]).toMatchObject({
      kind: 'fault',
      atUs: 90_000_000,
      background: true,
      as: 'cut',
    });
  });

  it.each([
    [
      'an unknown field',
      GOOD.replace('name: One', 'nmae: One'),
      /s\.yaml:1:1: unknown field "nmae"\n {2}hint: did you mean "name"\?/,
    ],
    [
      'a command with a comma inside braces',
      GOOD.replace('steps:', 'steps:\n  - { run: talosctl version -n 10.0.0.10,10.0.0.11 }'),
      /unknown field "10\.0\.0\.11" in steps\[0\]\n {2}hint: inside \{ … \} a comma begins a new field: put the command in quotes/,
    ],
    [
      'a wrong type',
      GOOD.replace('address: 10.0.0.10', 'address: 10'),
      /^s\.yaml:5:20: machines\.cp-1\.address: needs text, not 10\n {2}hint: put it in quotes$/,
    ],
    [
      'an address outside',
      GOOD.replace('10.0.0.10', '10.0.1.10'),
      /s\.yaml:5:20: 10\.0\.1\.10 is outside 10\.0\.0\.0\/24/,
    ],
    [
      'two machines with one address',
      GOOD.replace('steps:', '  cp-2: { address: 10.0.0.10 }\nsteps:'),
      /s\.yaml:6:20: address 10\.0\.0\.10 is already held by cp-1/,
    ],
    [
      'a public address that is none',
      GOOD.replace('gateway: 10.0.0.1', 'gateway: 10.0.0.1, nat: { address: 8.8.8.8 }'),
      /8\.8\.8\.8 is no public address\n {2}hint: give the site a free address of 203\.0\.113\.0\/24/,
    ],
    [
      'a forwarded port that leads nowhere',
      GOOD.replace(
        'gateway: 10.0.0.1',
        'gateway: 10.0.0.1, nat: { address: 203.0.113.7, forward: [{ protocol: udp, port: 1, to: 10.0.1.1 }] }',
      ),
      /10\.0\.1\.1 is not an address of 10\.0\.0\.0\/24/,
    ],
    ['the gateway as machine', GOOD.replace('10.0.0.10', '10.0.0.1'), /already held by the gateway of lan/],
    ['an unknown version', `talos: v9\n${GOOD}`, /s\.yaml:1:8: Talos v9 is not simulated/],
    [
      'a bad duration',
      GOOD.replace('advance: 1m30s', 'advance: 90'),
      /steps\[3\]\.advance: 90 is not a duration; write 30s, 10m or 1h30m$/,
    ],
    ['a duration without unit', GOOD.replace('advance: 1m30s', 'advance: "90"'), /"90" is not a duration; write 30s/],
    [
      'an unknown step',
      GOOD.replace('advance: 1m30s', 'sleep: 1m30s'),
      /s\.yaml:12:5: steps\[3\]: a step is a command line or a mapping with exactly one of/,
    ],
    [
      'a disk that the machine of a fault does not have',
      GOOD.replace('machine: cp-1', 'machine: cp-1, disk: sda'),
      /machine "cp-1" has no disk "sda"; it has \/dev\/sda/,
    ],
    [
      'a name server outside of its network',
      GOOD.replace(
        'steps:',
        'services: { dns: { address: 10.0.1.2, records: { api.demo.example: [10.0.0.10, ten] } } }\nsteps:',
      ),
      /^s\.yaml:6:29: 10\.0\.1\.2 is outside 10\.0\.0\.0\/24, where services stand\ns\.yaml:6:80: "ten" is not an IPv4 address$/,
    ],
    [
      'a name server at the address of a machine, and a name that is none',
      GOOD.replace('steps:', 'services: { dns: { address: 10.0.0.10, records: { Api: [10.0.0.10] } } }\nsteps:'),
      /services\.dns\.records\.Api: .*use a host name in lower case, such as api\.demo\.example/,
    ],
    [
      'a record without a name server',
      GOOD.replace(
        '- { fault: heal, name: cut }',
        '- { fault: dns-record, record: a.example, addresses: [10.0.0.10] }',
      ),
      /there is no name server; describe one in services\.dns$/,
    ],
    [
      'an unknown machine in a fault',
      GOOD.replace('machine: cp-1', 'machine: cp-l'),
      /machine "cp-l" is not defined\n {2}hint: did you mean "cp-1"\?/,
    ],
    [
      'a load balancer at no address',
      `${GOOD}services: { loadBalancer: { address: nowhere, backends: [10.0.0.10] } }\n`,
      /s\.yaml:\d+:38: "nowhere" is not an IPv4 address/,
    ],
    [
      "a load balancer at a machine's address",
      `${GOOD}services: { loadBalancer: { address: 10.0.0.10, backends: [10.0.0.10] } }\n`,
      /s\.yaml:\d+:38: address 10\.0\.0\.10 is already held by cp-1/,
    ],
    [
      'a load balancer before names',
      `${GOOD}services: { loadBalancer: { address: 10.0.0.7, backends: [cp-1] } }\n`,
      /s\.yaml:\d+:59: "cp-1" is not an IPv4 address/,
    ],
    [
      'a port that is none',
      `${GOOD}services: { loadBalancer: { address: 10.0.0.7, backends: [10.0.0.10], port: 99999 } }\n`,
      /services\.loadBalancer\.port: must be at most 65535/,
    ],
    [
      'an expectation of a machine that is not there',
      `${GOOD}expect: [{ machine: { name: cp-l, stage: running } }]\n`,
      /s\.yaml:\d+:29: machine "cp-l" is not defined\n {2}hint: did you mean "cp-1"\?/,
    ],
    [
      'an expectation of a command that is none',
      `${GOOD}expect: [{ command: { run: helm version } }]\n`,
      /s\.yaml:\d+:28: unknown program "helm"/,
    ],
    ['a field that has no effect', `kubernetes: v1.34.1\n${GOOD}`, /unknown field "kubernetes"/],
    [
      'something done again that was never done',
      GOOD.replace('- { advance: 1m30s }', '- { await: talosctl version, again: nothing }'),
      /s\.yaml:12:39: no earlier command has the id "nothing"\n {2}hint: give that "run" or "await" step an id/,
    ],
    [
      'a pause between things of which there are none',
      GOOD.replace('- { advance: 1m30s }', '- { await: talosctl version, every: 5m }'),
      /s\.yaml:12:39: "every" needs "again"/,
    ],
    [
      'things done again without a pause',
      GOOD.replace('- talosctl version', '- { id: asked, run: talosctl version }').replace(
        '- { advance: 1m30s }',
        '- { await: talosctl version, again: asked, every: 0s }',
      ),
      /s\.yaml:12:\d+: "every" is shorter than 1s/,
    ],
    ['an unknown program', GOOD.replace('- talosctl version', '- helm version'), /s\.yaml:7:5: unknown program "helm"/],
    [
      'shell syntax',
      GOOD.replace('- talosctl version', '- talosctl version | cat'),
      /shell syntax that is not simulated/,
    ],
    [
      'a missing file',
      GOOD.replace('- talosctl version', '- talosctl x --config-patch @patches/cp-2.yaml'),
      /file "patches\/cp-2\.yaml" does not exist/,
    ],
    [
      'an unknown guarantee',
      GOOD.replace('[one-etcd-birth]', '[one-etcd-brith]'),
      /no checker watches a guarantee called "one-etcd-brith"\n {2}hint: did you mean "one-etcd-birth"\?/,
    ],
    ['a mistake that refers to nothing', GOOD.replace('before: v', 'before: w'), /no step has the id "w"/],
    ['a name that nobody gave', GOOD.replace('name: cut', 'name: cat'), /no earlier step has "as: cat"/],
    [
      'a fault without its argument',
      GOOD.replace('{ fault: heal, name: cut }', '{ fault: delay, machine: cp-1 }'),
      /fault delay needs "by"/,
    ],
    [
      'a clock that cannot be',
      GOOD.replace('{ fault: heal, name: cut }', '{ fault: clock-drift, machine: cp-1, by: 9999999999 }'),
      /a clock drifts by 500000 parts per million at most/,
    ],
    [
      'a list in place of a mapping',
      '[]',
      /^s\.yaml:1:1: a scenario needs a mapping, not a list\n {2}hint: write one "name: …" a line/,
    ],
    [
      'a mapping in place of a list',
      'name: a\nnetwork: {}\nmachines: {}\nsteps: {}\n',
      /^s\.yaml:4:8: steps: needs a list, not a mapping\n {2}hint: write one item a line, each after "- "/,
    ],
    [
      'a list in place of text',
      'name: [a]\nnetwork: {}\nmachines: {}\nsteps: []\n',
      /^s\.yaml:1:7: name: needs text, not a list$/,
    ],
    ['a missing field', 'name: a\nnetwork: {}\nmachines: {}\n', /^s\.yaml:1:1: steps: missing; it needs a list$/],
    [
      'a number in words, a fraction, a flag in quotes, a negative size',
      GOOD.replace(
        'address: 10.0.0.10',
        'address: 10.0.0.10, cpus: 1.5, memoryGiB: two, powered: "no", disks: [{name: /dev/sda, sizeGiB: -1}]',
      ),
      /cpus: needs a whole number, not 1\.5\n.*\n.*memoryGiB: needs a number, not "two"\n.*\n.*powered: needs true or false, not "no"\n.*\n.*sizeGiB: must be more than 0$/,
    ],
    [
      'a fault that does not exist',
      GOOD.replace('fault: heal', 'fault: heel'),
      /fault: "heel" is none of power-off, .*\n {2}hint: did you mean "heal"\?/,
    ],
    [
      'a name with capitals',
      GOOD.replace('cp-1:', 'CP-1:'),
      /machines\.CP-1: "CP-1" is no name: use lower-case letters/,
    ],
    ['YAML that is not', 'name: [', /s\.yaml:1:\d+: not YAML/],
    ['an empty file', '', /the file is empty/],
  ])('refuses %s with its place', (_what, text, expected) => {
    expect(problemsOf(text).join('\n')).toMatch(expected);
  });
});
