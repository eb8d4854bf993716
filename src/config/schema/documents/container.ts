/** Containers beside Kubernetes, from v1.14 on (reference/network-config.md E.4). */
import { block, field, flag, int, list, str, strings, struct, structType } from '../build.ts';
import type { Field, StructSpec } from '../types.ts';
import type { KindRow } from './meta.ts';

const destination = field('destination', str, 'Path in the container.', { print: 'always' });
const options = field('options', strings, 'Mount options.');

const mount: StructSpec = struct('container.ContainerMount', [
  block(
    'userVolume',
    struct('container.UserVolumeMount', [
      field('name', str, 'User volume.', { print: 'always' }),
      destination,
      options,
    ]),
    'A user volume.',
  ),
  block(
    'tmpfs',
    struct('container.TmpfsMount', [destination, field('size', str, 'Size.'), options]),
    'Memory for scratch data.',
  ),
  block(
    'hostPath',
    struct('container.HostPathMount', [
      field('source', str, 'Path of the host.', { print: 'always' }),
      destination,
      options,
    ]),
    'A directory or file of the host.',
  ),
]);

const security: StructSpec = struct('container.ContainerSecurity', [
  field('profile', str, 'Profile.', { default: 'restricted', values: ['restricted', 'privileged'] }),
  block(
    'capabilities',
    struct('container.ContainerCapabilities', [field('add', strings, 'Added.'), field('drop', strings, 'Dropped.')]),
    'Capabilities.',
  ),
]);

const id = (name: string, doc: string): Field => field(name, int('int32'), doc, { pointer: true });

export const containerKind: KindRow = Object.freeze({
  kind: 'ContainerConfig',
  group: 'container',
  since: 14,
  doc: 'A container beside Kubernetes.',
  name: 'Container.',
  fields: [
    field('image', str, 'Image.', { print: 'always' as const }),
    field('entrypoint', strings, 'Program.'),
    field('args', strings, 'Arguments.'),
    field('workingDir', str, 'Working directory.'),
    block('runAs', struct('container.ContainerRunAs', [id('uid', 'User.'), id('gid', 'Group.')]), 'User.'),
    field('environment', strings, 'Environment as KEY=value.'),
    field('mounts', list(structType(mount)), 'Mounts.'),
    block('security', security, 'Security.'),
    block(
      'network',
      struct('container.ContainerNetwork', [
        field('mode', str, 'Mode.', { default: 'none', values: ['none', 'host'] }),
      ]),
      'Network.',
    ),
    block(
      'resources',
      struct('container.ContainerResources', [
        block(
          'limits',
          struct('container.ContainerResourceLimits', [
            field('cpu', str, 'Processor time in millicores.'),
            field('memory', str, 'Memory.'),
          ]),
          'Limits.',
        ),
      ]),
      'Resources.',
    ),
    block(
      'dependsOn',
      struct('container.ContainerDependsOn', [
        field('paths', strings, 'Paths that must exist.'),
        field('networks', strings, 'Conditions of the network.'),
        flag('time', 'The clock must be in sync.'),
        field('containers', strings, 'Containers that must run.'),
      ]),
      'What must be there first.',
    ),
  ],
});
