import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { invalid, invalidField, requiredField } from '../../src/kube/objects/errors.ts';
import { type NameRule, nameProblems } from '../../src/kube/objects/names.ts';
import { parseResourcePath, resourcePath, storageKey } from '../../src/kube/objects/path.ts';
import { findByName, RESOURCE_TYPES } from '../../src/kube/objects/resources.ts';
import { tolerates } from '../../src/kube/objects/taints.ts';
import { parseRfc3339, rfc3339 } from '../../src/platform/rfc3339.ts';

describe('paths', () => {
  it('every path that is made is read back', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
    fc.assert(
      fc.property(
        fc.constantFrom(...RESOURCE_TYPES),
        name,
        fc.option(name),
        fc.nat(5),
        (type, namespace, object, nth) => {
          const subresource = object === null ? undefined : [undefined, ...type.subresources][nth];
          const path = resourcePath(type, type.namespaced ? namespace : undefined, object ?? undefined, subresource);
          expect(parseResourcePath(path)).toEqual({
            type,
            namespace: type.namespaced ? namespace : undefined,
            name: object ?? undefined,
            subresource,
          });
        },
      ),
    );
  });

  it('a namespace is an object, and holds collections', () => {
    expect(parseResourcePath('/api/v1/namespaces/x/status')).toMatchObject({ name: 'x', subresource: 'status' });
    expect(parseResourcePath('/api/v1/namespaces/x/pods')).toMatchObject({ namespace: 'x', name: undefined });
    expect(parseResourcePath('/api/v1/namespaces/x/pods/y/exec')).toBeUndefined();
    expect(parseResourcePath('/apis/apps/v2/deployments')).toBeUndefined();
    expect(parseResourcePath('/metrics')).toBeUndefined();
  });

  it('objects lie in etcd where Kubernetes keeps them', () => {
    expect(storageKey(findByName('nodes')!, undefined, 'cp-1')).toBe('/registry/minions/cp-1');
    expect(storageKey(findByName('svc')!, 'default', 'kubernetes')).toBe('/registry/services/specs/default/kubernetes');
    expect(storageKey(findByName('pods')!, 'kube-system', 'x')).toBe('/registry/pods/kube-system/x');
  });
});

describe('time', () => {
  it('goes to text and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000_000 }), (us) => {
        expect(parseRfc3339(rfc3339(us, true))).toBe(us);
        expect(rfc3339(us, true)).toBe(
          `${new Date(Math.floor(us / 1000)).toISOString().slice(0, -1)}${String(us % 1000).padStart(3, '0')}Z`,
        );
      }),
    );
  });

  it('other forms are refused', () => {
    for (const text of ['', '2025-10-01', '2025-10-01T00:00:00+02:00', 'now'])
      expect(parseRfc3339(text)).toBeUndefined();
  });
});

describe('taints', () => {
  const node = (taints: readonly object[], unschedulable = false) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    spec: { taints, unschedulable },
  });
  const taint = { key: 'a', value: 'x', effect: 'NoSchedule' };

  it.each([
    [[], false],
    [[{ key: 'a', operator: 'Exists' }], true],
    [[{ key: 'a', value: 'x' }], true],
    [[{ key: 'a', value: 'y' }], false],
    [[{ key: 'a', operator: 'Exists', effect: 'NoExecute' }], false],
    [[{ operator: 'Exists' }], true],
    [[{ key: 'b', operator: 'Exists' }], false],
  ])('tolerations %j: %s', (tolerations, expected) => {
    expect(tolerates(node([taint]), tolerations)).toBe(expected);
  });

  it('a preference keeps nobody away, a cordon everybody but daemons', () => {
    expect(tolerates(node([{ key: 'a', effect: 'PreferNoSchedule' }]), [])).toBe(true);
    expect(tolerates(node([], true), [])).toBe(false);
    expect(tolerates(node([], true), [], true)).toBe(true);
  });
});

describe('names', () => {
  const rule = (kind: string): NameRule => RESOURCE_TYPES.find((type) => type.kind === kind)!.names;

  it.each([
    ['Namespace', ['a', '1-a'], ['', 'a.b', 'A', 'a-', 'a'.repeat(64)]],
    ['Service', ['a', 'a-1'], ['1a', 'a.b', 'a_b', 'a'.repeat(64)]],
    ['Node', ['cp-1', 'cp-1.example.com', '10.0.0.1'], ['CP-1', 'cp_1', 'a..b', 'a.-b', 'a'.repeat(254)]],
    ['ConfigMap', ['a.b', 'a'.repeat(253)], ['a/b', 'a b', '.a']],
    ['Lease', ['x'], ['X']],
    ['ClusterRole', ['system:node', 'A b', 'ü'], ['.', '..', 'a/b', 'a%b']],
    ['CertificateSigningRequest', ['csr-ABC'], ['a/b']],
  ])('of a %s', (kind, good, bad) => {
    for (const name of good) expect(nameProblems(rule(kind), name), name).toEqual([]);
    for (const name of bad) expect(nameProblems(rule(kind), name), name).not.toEqual([]);
  });

  it('a prefix of generated names may end with a dash, and with nothing else', () => {
    expect(nameProblems('subdomain', 'web-', true)).toEqual([]);
    expect(nameProblems('subdomain', 'web-')).toHaveLength(1);
    expect(nameProblems('subdomain', 'web_', true)).toHaveLength(1);
  });

  it('says what Kubernetes says', () => {
    expect(nameProblems('subdomain', 'a_b')).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
    expect(nameProblems('letter-label', '1a')[0]).toContain(
      "(e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
    expect(nameProblems('path', 'a/b%c')).toEqual(["may not contain '/'", "may not contain '%'"]);
  });

  it('several errors of one object stand in brackets, behind its kind and group', () => {
    const deployments = RESOURCE_TYPES.find(({ kind }) => kind === 'Deployment')!;
    const error = invalid(deployments, 'x', [requiredField('spec.a'), invalidField('spec.b', 'y', 'why')]);
    expect(error.message).toBe(
      'Deployment.apps "x" is invalid: [spec.a: Required value, spec.b: Invalid value: "y": why]',
    );
    expect(error.status().details).toMatchObject({ name: 'x', group: 'apps', kind: 'Deployment' });
  });
});
