import type { ConfigObject } from '../../../config/schema/types.ts';
import { type Reader, SKIP, transformController, weak } from '../../../cosi/index.ts';
import { isControlPlane } from '../../config/settings.ts';
import { denied, mergeArguments, renderArguments } from '../../kube/arguments.ts';
import { kubeletConfiguration } from '../../kube/kubelet-configuration.ts';
import {
  KUBELET_BOOTSTRAP_KUBECONFIG,
  KUBELET_CONFIG,
  KUBELET_CREDENTIAL_PROVIDER_PROGRAMS,
  KUBELET_CREDENTIAL_PROVIDERS,
  KUBELET_KUBECONFIG,
  KUBELET_PKI,
} from '../../kube/paths.ts';
import { MACHINE_TYPE, MachineTypes } from '../../resources/config.ts';
import { type KubeletConfigSpec, KubeletConfigs, KubeletSpecs, NodeIps, Nodenames } from '../../resources/k8s.ts';

const POLICIES = Object.freeze(
  denied('bootstrap-kubeconfig', 'cert-dir', 'config', 'container-runtime', 'container-runtime-endpoint', 'kubeconfig'),
);

/** Command line and configuration of the kubelet (reference/controllers.md B.4.2, reference/v1.11.3.md 8.6, 17.4). */
export const kubeletSpecController = transformController({
  name: 'k8s.KubeletSpecController',
  input: KubeletConfigs,
  output: KubeletSpecs,
  extraInputs: [weak(Nodenames, 'nodename'), weak(NodeIps, 'kubelet'), weak(MachineTypes, MACHINE_TYPE)],
  map: (config) => config.metadata.id,
  compute: ({ spec }, reader) => {
    const nodename = reader.get(Nodenames, 'nodename')?.spec.nodename;
    const type = reader.get(MachineTypes, MACHINE_TYPE)?.spec;
    const args = nodename === undefined ? undefined : argumentsOf(spec, nodename, reader);
    if (nodename === undefined || type === undefined || args === undefined) return SKIP;
    const named = Object.hasOwn(spec.extraArgs, 'hostname-override');
    const config: ConfigObject = kubeletConfiguration(spec, isControlPlane(type));
    return {
      image: spec.image,
      args: renderArguments(args),
      expectedNodename: named ? '' : nodename,
      config,
      credentialProviderConfig: spec.credentialProviderConfig,
    };
  },
});

/** Undefined while the node's address is not known. */
function argumentsOf(spec: KubeletConfigSpec, nodename: string, reader: Reader) {
  const addresses = reader.get(NodeIps, 'kubelet')?.spec.addresses;
  if (addresses === undefined && !Object.hasOwn(spec.extraArgs, 'node-ip')) return undefined;
  const base = {
    ...(spec.skipNodeRegistration
      ? {}
      : { 'bootstrap-kubeconfig': KUBELET_BOOTSTRAP_KUBECONFIG, kubeconfig: KUBELET_KUBECONFIG }),
    'cert-dir': KUBELET_PKI,
    ...(spec.cloudProviderExternal ? { 'cloud-provider': 'external' } : {}),
    config: KUBELET_CONFIG,
    'hostname-override': nodename,
    ...(addresses === undefined ? {} : { 'node-ip': addresses.join(',') }),
  };
  const merged = mergeArguments(base, spec.extraArgs, POLICIES);
  if (Object.keys(spec.credentialProviderConfig).length === 0) return merged;
  return {
    ...merged,
    'image-credential-provider-bin-dir': KUBELET_CREDENTIAL_PROVIDER_PROGRAMS,
    'image-credential-provider-config': KUBELET_CREDENTIAL_PROVIDERS,
  };
}
