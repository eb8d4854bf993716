/** Strict decoding of fields: unknown and mistyped ones, all of them at once (E.1; issue "Documents"). */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { load, loadErrors } from '../support.ts';

function toolError(text: string): string {
  const result = loadConfig(text);
  return 'errors' in result ? result.toolError : '';
}

const machineOf = (text: string): unknown => load(text).documents[0]!.value.machine;

describe('unknown keys', () => {
  test('are refused at every level, with what they might be', () => {
    const text = 'machine:\n  tpye: worker\n  network:\n    interfaces:\n      - interface: eth0\n        dhpc: true\n';
    expect(loadErrors(text)).toEqual([
      'config.yaml:2:3: machine.tpye: unknown key "tpye" (did you mean "type"?)',
      'config.yaml:6:9: machine.network.interfaces[0].dhpc: unknown key "dhpc" (did you mean "dhcp"?)',
    ]);
  });

  test('are refused below maps of structs', () => {
    const text = 'machine:\n  registries:\n    mirrors:\n      docker.io:\n        endpoint: [a]\n';
    expect(loadErrors(text)).toEqual([
      'config.yaml:5:9: machine.registries.mirrors["docker.io"].endpoint: unknown key "endpoint" (did you mean "endpoints"?)',
    ]);
  });

  test('are free below free-form objects', () => {
    expect(loadErrors('machine:\n  kubelet:\n    extraConfig:\n      anything:\n        - at: {all: 1}\n')).toEqual([]);
    expect(loadErrors('machine:\n  pods:\n    - {kind: Pod, whatever: true}\n')).toEqual([]);
  });

  test('are case-sensitive', () => {
    expect(loadErrors('machine:\n  Type: worker\n')).toEqual([expect.stringContaining('unknown key "Type"')]);
  });

  test('the tool prints them as a tree', () => {
    expect(toolError('machine:\n  tpye: worker\nfoo: 1\n')).toBe(
      'unknown keys found during decoding:\nfoo: 1\nmachine:\n    tpye: worker\n',
    );
  });
});

describe('wrong types', () => {
  test('are all reported, with line and path', () => {
    const text = 'machine:\n  certSANs: a\n  network: [1]\n  sysctls:\n    a: [1]\ndebug: maybe\n';
    expect(loadErrors(text)).toEqual([
      'config.yaml:2:13: machine.certSANs: cannot unmarshal !!str `a` into []string (a list is expected here)',
      'config.yaml:3:12: machine.network: cannot unmarshal !!seq into v1alpha1.NetworkConfig (a mapping is expected here)',
      'config.yaml:5:8: machine.sysctls.a: cannot unmarshal !!seq into string (a string is expected here)',
      'config.yaml:6:8: debug: cannot unmarshal !!str `maybe` into bool (true or false is expected here)',
    ]);
  });

  test('the tool lists the same under one heading', () => {
    expect(toolError('machine:\n  certSANs: a\ndebug: maybe\n')).toBe(
      'error decoding  to *v1alpha1.Config: yaml: unmarshal errors:\n' +
        '  line 2: cannot unmarshal !!str `a` into []string\n' +
        '  line 3: cannot unmarshal !!str `maybe` into bool',
    );
  });
});

describe('Go-style scalars', () => {
  test.each([
    ['yes', true],
    ['Yes', true],
    ['ON', true],
    ['y', true],
    ['no', false],
    ['Off', false],
    ['n', false],
    ['true', true],
  ])('%s in a bool field is %s', (text, expected) => {
    expect(
      machineOf(`machine:\n  install:\n    wipe: ${text}\n  kubelet:\n    skipNodeRegistration: ${text}\n`),
    ).toMatchObject({
      kubelet: { skipNodeRegistration: expected },
    });
  });

  test('a quoted word of YAML 1.1 is a bool, a quoted true is none', () => {
    expect(load('debug: "yes"\n').documents[0]!.value.debug).toBe(true);
    expect(loadErrors('debug: "true"\n')).toHaveLength(1);
    expect(loadErrors('debug: 1\n')).toHaveLength(1);
  });

  test('any scalar fits a string field and keeps its text', () => {
    expect(
      machineOf(
        'machine:\n  sysctls:\n    a: 1\n    b: 0x10\n    c: yes\n    d: 1.50\n    e: 2024-01-01\n    f: true\n',
      ),
    ).toEqual({
      sysctls: { a: '1', b: '0x10', c: 'yes', d: '1.50', e: '2024-01-01', f: 'true' },
    });
  });

  test('octal permissions are read in both notations', () => {
    for (const text of ['0644', '0o644', '420']) {
      expect(
        machineOf(`machine:\n  files:\n    - {content: a, path: /var/a, op: create, permissions: ${text}}\n`),
      ).toMatchObject({
        files: [{ permissions: 0o644 }],
      });
    }
  });

  test('a float is cut to an integer, a quoted number is none', () => {
    const mtu = (text: string): string =>
      `machine:\n  network:\n    interfaces:\n      - {interface: e, mtu: ${text}}\n`;
    expect(machineOf(mtu('1500.0'))).toMatchObject({ network: { interfaces: [{ mtu: 1500 }] } });
    expect(machineOf(mtu('1500.5'))).toMatchObject({ network: { interfaces: [{ mtu: 1500 }] } });
    expect(loadErrors(mtu('"1500"'))).toEqual([expect.stringContaining('cannot unmarshal !!str `1500` into int')]);
  });

  test('an integer too large for its field is refused', () => {
    const text = 'machine:\n  network:\n    interfaces:\n      - interface: e\n        vlans: [{vlanId: 70000}]\n';
    expect(loadErrors(text)).toEqual([expect.stringMatching(/cannot unmarshal !!int `70000` into uint16/)]);
  });

  test('durations are text with units', () => {
    const text = (value: string): string => `machine:\n  time:\n    bootTimeout: ${value}\n`;
    expect(machineOf(text('90s'))).toEqual({ time: { bootTimeout: '1m30s' } });
    expect(loadErrors(text('90'))).toEqual([expect.stringContaining('machine.time.bootTimeout')]);
    expect(loadErrors(text('1d'))).toEqual([expect.stringContaining('machine.time.bootTimeout')]);
  });
});

describe('null, pointers and empty values', () => {
  test('null leaves a field as if it were not there', () => {
    expect(machineOf('machine:\n  type: ~\n  network: null\n  certSANs:\n  sysctls: null\n')).toEqual({});
  });

  test('a zero is absent in a plain field and present behind a pointer', () => {
    const value = machineOf('machine:\n  type: ""\n  features:\n    rbac: false\n  kubelet: {}\n');
    expect(value).toEqual({ features: { rbac: false }, kubelet: {} });
  });

  test('an empty list or map is present', () => {
    expect(machineOf('machine:\n  certSANs: []\n  sysctls: {}\n')).toEqual({ certSANs: [], sysctls: {} });
  });

  test('null in a list of strings is dropped, in a map it is the empty text', () => {
    const text = 'machine:\n  certSANs: [a, null]\n  sysctls: {a: null}\n';
    expect(machineOf(text)).toEqual({ certSANs: ['a'], sysctls: { a: '' } });
  });
});

describe('anchors, merge keys and duplicates', () => {
  test('aliases decode to what they name', () => {
    const text = 'machine:\n  certSANs: &sans [a, b]\n  env: {X: y}\ncluster:\n  apiServer:\n    certSANs: *sans\n';
    expect(load(text).documents[0]!.value.cluster).toEqual({ apiServer: { certSANs: ['a', 'b'] } });
  });

  test('a merge key adds what a map does not have itself', () => {
    const text = 'machine:\n  env: &base {A: "1", B: "2"}\n  sysctls:\n    <<: *base\n    B: "3"\n';
    expect(machineOf(text)).toMatchObject({ sysctls: { A: '1', B: '3' } });
  });

  test('a merge key in a struct is an unknown one to the strict check of the real tool', () => {
    const text = 'cluster:\n  apiServer: &base {image: a}\n  proxy:\n    <<: *base\n';
    expect(loadErrors(text)).toEqual([
      'config.yaml:4:5: cluster.proxy["<<"]: unknown key "<<" (merge keys are accepted in maps only)',
    ]);
  });

  test('the same key twice is refused with both lines', () => {
    expect(loadErrors('machine:\n  type: worker\n  type: worker\n')).toEqual([
      expect.stringMatching(/^config\.yaml:3:3: .*mapping key "type" already defined at line 2/),
    ]);
  });

  test('keys of maps that would be dangerous elsewhere are plain data', () => {
    const value = machineOf('machine:\n  sysctls:\n    __proto__: a\n    constructor: b\n') as { sysctls: object };
    expect(Object.keys(value.sysctls)).toEqual(['__proto__', 'constructor']);
  });
});

describe('values with a form of their own', () => {
  test('base64 of certificates', () => {
    expect(loadErrors('machine:\n  ca: {crt: "%%%", key: ""}\n')).toEqual([
      expect.stringMatching(/machine\.ca\.crt: .*illegal base64 data at input byte 0/),
    ]);
  });

  test('URLs', () => {
    const text = 'cluster:\n  controlPlane:\n    endpoint: "https://a b:6443"\n';
    expect(loadErrors(text)).toEqual([expect.stringContaining('cluster.controlPlane.endpoint')]);
  });

  test('enumerations of side documents', () => {
    const text = 'apiVersion: v1alpha1\nkind: NetworkDefaultActionConfig\ningress: maybe\n';
    expect(loadErrors(text)).toEqual([expect.stringContaining('maybe does not belong to DefaultAction values')]);
  });

  test('prefixes, ports and sizes of side documents', () => {
    const rule = (ports: string, subnet: string): string =>
      `apiVersion: v1alpha1\nkind: NetworkRuleConfig\nname: a\nportSelector: {ports: [${ports}], protocol: tcp}\ningress: [{subnet: ${subnet}}]\n`;
    expect(loadErrors(rule('80, 8000-8100', '10.0.0.0/8'))).toEqual([]);
    expect(loadErrors(rule('99999', '10.0.0.0/33'))).toHaveLength(2);
    const size = 'apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning: {maxSize: 10Quux}\n';
    expect(loadErrors(size)).toEqual([expect.stringContaining('provisioning.maxSize')]);
  });
});
