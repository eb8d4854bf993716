import { ControllerError, SKIP, transformController, weak } from '../../../cosi/index.ts';
import { MachineConfigs } from '../../resources/config.ts';
import { Nodenames } from '../../resources/k8s.ts';
import { HostnameStatuses } from '../../resources/network.ts';
import { fromActiveConfig } from '../active-config.ts';
import { fqdn } from '../network/hostname-spec.ts';

/** Name under which the kubelet registers. */
export const nodenameController = transformController({
  name: 'k8s.NodenameController',
  input: MachineConfigs,
  output: Nodenames,
  extraInputs: [weak(HostnameStatuses, 'hostname')],
  map: fromActiveConfig('nodename'),
  compute: (config, reader) => {
    const hostname = reader.get(HostnameStatuses, 'hostname');
    if (hostname === undefined) return SKIP;
    const { kubelet } = config.spec.settings.machine;
    const source = kubelet.registerWithFqdn ? fqdn(hostname.spec) : hostname.spec.hostname;
    return {
      nodename: sanitised(source),
      hostnameVersion: `${hostname.metadata.version}`,
      skipNodeRegistration: kubelet.skipNodeRegistration,
    };
  },
});

function sanitised(name: string): string {
  const clean = name
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/[^a-z0-9.-]/g, '')
    .replace(/^[-.]+|[-.]+$/g, '');
  if (clean === '') throw new ControllerError('could not convert hostname to a valid Kubernetes Node name');
  return clean;
}
