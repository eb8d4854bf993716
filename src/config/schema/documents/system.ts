/** Discovery, registries, images and system settings, from v1.12 on (reference E.4). */
import { block, field, flag, list, object, str, stringMap, strings, struct, structType, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { DocumentSpec } from '../types.ts';
import { urlCodec } from './codecs.ts';
import { containerKind } from './container.ts';
import { certificateAndKey, expression, type KindRow, kindOf, plain } from './meta.ts';

const match = expression('match', 'Expression that selects.');

const clusterKinds: readonly KindRow[] = Object.freeze([
  {
    kind: 'DiscoveryServiceConfig',
    group: 'cluster',
    since: 14,
    doc: 'Discovery service.',
    name: 'Service.',
    fields: [field('endpoint', text(urlCodec), 'Endpoint.', { print: 'always' })],
  },
  {
    kind: 'DiscoveryIdentityConfig',
    group: 'cluster',
    since: 14,
    doc: 'Identity of the cluster in discovery.',
    fields: [
      field('clusterID', str, 'Id.', { print: 'always' }),
      field('clusterSecret', str, 'Secret.', { secret: true, print: 'always' }),
    ],
  },
  {
    kind: 'CRIBaseRuntimeSpecConfig',
    group: 'cri',
    since: 14,
    doc: 'Changes to the base OCI spec.',
    fields: [field('overrides', object, 'Changes.', { merge: 'replace' })],
  },
  {
    kind: 'CRICustomizationConfig',
    group: 'cri',
    since: 14,
    doc: 'Part of the configuration of containerd.',
    name: 'Part.',
    fields: [field('content', str, 'TOML.', { print: 'always' })],
  },
  {
    kind: 'ImageCacheConfig',
    group: 'cri',
    since: 14,
    doc: 'Image cache.',
    fields: [
      plain('local', 'cri.LocalImageCacheConfig', [flag('enabled', 'Use it.')], 'Cache on the disk.', {
        print: 'always',
      }),
    ],
  },
  {
    kind: 'RegistryAuthConfig',
    group: 'cri',
    since: 12,
    doc: 'Credentials of a registry.',
    name: 'Registry.',
    fields: ['username', 'password', 'auth', 'identityToken'].map((name) =>
      field(name, str, 'Credential.', { secret: name !== 'username' }),
    ),
  },
  {
    kind: 'RegistryMirrorConfig',
    group: 'cri',
    since: 12,
    doc: 'Mirrors of a registry.',
    name: 'Registry.',
    fields: [
      field(
        'endpoints',
        list(
          structType(
            struct('cri.RegistryEndpoint', [
              field('url', text(urlCodec), 'URL.', { print: 'always' }),
              flag('overridePath', 'The path is complete.'),
            ]),
          ),
        ),
        'Mirrors in order.',
      ),
      flag('skipFallback', 'Never ask the registry itself.'),
    ],
  },
  {
    kind: 'RegistryTLSConfig',
    group: 'cri',
    since: 12,
    doc: 'TLS of a registry.',
    name: 'Registry.',
    fields: [
      block('clientIdentity', certificateAndKey, 'Client certificate.'),
      field('ca', str, 'CA, PEM.'),
      flag('insecureSkipVerify', 'Do not verify.'),
    ],
  },
  {
    kind: 'ImageVerificationConfig',
    group: 'security',
    since: 13,
    doc: 'Signatures of images.',
    fields: [
      field(
        'rules',
        list(
          structType(
            struct('security.ImageVerificationRule', [
              field('image', str, 'Pattern.', { print: 'always' }),
              flag('skip', 'Do not verify.'),
              flag('deny', 'Refuse.'),
              block(
                'keyless',
                struct('security.KeylessVerifier', [
                  field('issuer', str, 'Issuer.'),
                  field('subject', str, 'Subject.'),
                  field('subjectRegex', str, 'Pattern of subjects.'),
                ]),
                'Verification by identity.',
              ),
              block(
                'publicKey',
                struct('security.PublicKeyVerifier', [field('certificate', str, 'Key, PEM.')]),
                'Verification by key.',
              ),
            ]),
          ),
          { goType: 'security.ImageVerificationRules', mergeBy: { keys: ['image'], action: 'replace' } },
        ),
        'Rules; the first that matches counts.',
      ),
    ],
  },
]);

const runtimeKinds: readonly KindRow[] = Object.freeze([
  {
    kind: 'EnvironmentConfig',
    group: 'runtime',
    since: 13,
    doc: 'Environment of services.',
    fields: [field('variables', stringMap, 'Variables.', { print: 'always' })],
  },
  {
    kind: 'EtcFileConfig',
    group: 'runtime',
    since: 14,
    doc: 'A file below /etc.',
    name: 'Path below /etc.',
    fields: [
      field('mode', { kind: 'int', goType: 'runtime.EtcFileMode', int: 'uint32', octal: true }, 'Permissions, octal.', {
        print: 'always',
        default: '0644',
      }),
      field('contents', str, 'Contents.', { print: 'always' }),
    ],
  },
  {
    kind: 'KernelModuleConfig',
    group: 'runtime',
    since: 14,
    doc: 'A kernel module.',
    name: 'Module.',
    fields: [field('parameters', strings, 'Parameters.')],
  },
  {
    kind: 'OOMConfig',
    group: 'runtime',
    since: 12,
    doc: 'What is done when memory runs out.',
    fields: [
      expression('triggerExpression', 'When to act.'),
      expression('cgroupRankingExpression', 'Whom to end first.'),
      flag('strictCgroupClassOrdering', 'Classes before ranks.', { since: 14 }),
      field('sampleInterval', text(durationCodec), 'How often to look.'),
    ],
  },
  {
    kind: 'SecurityProfileConfig',
    group: 'security',
    since: 14,
    doc: 'Isolation of workloads.',
    fields: [flag('workloadIsolation', 'Isolate workloads.')],
  },
  {
    kind: 'SysctlConfig',
    group: 'runtime',
    since: 14,
    doc: 'Kernel parameters.',
    fields: [field('params', stringMap, 'Values.', { print: 'always' })],
  },
  {
    kind: 'SysfsConfig',
    group: 'runtime',
    since: 14,
    doc: 'Values below /sys.',
    fields: [field('params', stringMap, 'Values.', { print: 'always' })],
  },
  {
    kind: 'UdevRulesConfig',
    group: 'runtime',
    since: 14,
    doc: 'udev rules.',
    fields: [field('rules', strings, 'Rules.')],
  },
  {
    kind: 'UnattendedInstallConfig',
    group: 'runtime',
    since: 14,
    doc: 'Installation without a person.',
    fields: [
      flag('reboot', 'Reboot afterwards.'),
      plain('installer', 'runtime.InstallerSpec', [field('image', str, 'Image.')], 'Installer.', { print: 'always' }),
      plain(
        'provisioning',
        'runtime.ProvisioningSpec',
        [plain('diskSelector', 'runtime.DiskSelectorSpec', [match], 'Which disk.'), flag('wipe', 'Wipe the disk.')],
        'Where.',
        { print: 'always' },
      ),
    ],
  },
]);

export const systemDocuments: readonly DocumentSpec[] = Object.freeze(
  [...clusterKinds, ...runtimeKinds, containerKind].map(kindOf),
);
