/** Runtime, extension, security, SideroLink and hardware documents (reference E.4; v1.11.3.md 11.1). */
import { field, flag, list, str, strings, struct, structType, text } from '../build.ts';
import { durationCodec } from '../codecs.ts';
import type { DocumentSpec, StructSpec } from '../types.ts';
import { urlCodec } from './codecs.ts';
import { documentKind, header, named } from './meta.ts';

const eventSink: StructSpec = struct('runtime.EventSinkV1Alpha1', [
  ...header,
  field('endpoint', str, 'Receiver as host:port.', { print: 'always' }),
]);

const kmsgLog: StructSpec = struct('runtime.KmsgLogV1Alpha1', [
  ...named('Destination.'),
  field('url', text(urlCodec), 'tcp:// or udp:// URL with a port.', { print: 'always' }),
]);

const watchdog: StructSpec = struct('runtime.WatchdogTimerV1Alpha1', [
  ...header,
  field('device', str, 'Watchdog device.', { print: 'always' }),
  field('timeout', text(durationCodec), 'The machine is reset after this silence.', { default: '1m' }),
]);

const extensionService: StructSpec = struct('extensions.ServiceConfigV1Alpha1', [
  ...named('Extension service.'),
  field(
    'configFiles',
    list(
      structType(
        struct('extensions.ConfigFile', [
          field('content', str, 'Contents.', { print: 'always' }),
          field('mountPath', str, 'Path in the service.', { print: 'always' }),
        ]),
      ),
      { goType: 'extensions.ConfigFileList', mergeBy: { keys: ['mountPath'], action: 'merge' } },
    ),
    'Files for the service.',
  ),
  field('environment', strings, 'Environment as KEY=value.'),
]);

const trustedRoots: StructSpec = struct('security.TrustedRootsConfigV1Alpha1', [
  ...named('Bundle.'),
  field('certificates', str, 'Certificates, PEM.', { print: 'always' }),
]);

const sideroLink: StructSpec = struct('siderolink.ConfigV1Alpha1', [
  ...header,
  field('apiUrl', text(urlCodec), 'API to connect to.', { print: 'always', secret: true }),
  flag('uniqueToken', 'The join token is the one of this machine.', { since: 12 }),
]);

const pciRebind: StructSpec = struct('hardware.PCIDriverRebindConfigV1Alpha1', [
  ...named('PCI device id.'),
  field('targetDriver', str, 'Driver to bind to.', { print: 'always' }),
]);

export const runtimeDocuments: readonly DocumentSpec[] = Object.freeze([
  documentKind('EventSinkConfig', 'runtime', eventSink, 'Receiver of events.'),
  documentKind('KmsgLogConfig', 'runtime', kmsgLog, 'Receiver of kernel messages.'),
  documentKind('WatchdogTimerConfig', 'runtime', watchdog, 'Hardware watchdog.'),
  documentKind(
    'ExtensionServiceConfig',
    'extensions',
    extensionService,
    'Files and environment of an extension service.',
  ),
  documentKind('TrustedRootsConfig', 'security', trustedRoots, 'Extra trusted roots.'),
  documentKind('SideroLinkConfig', 'siderolink', sideroLink, 'SideroLink.'),
  documentKind('PCIDriverRebindConfig', 'hardware', pciRebind, 'PCI driver binding.'),
]);
