/** The legacy document of a generated config (reference/network-config.md E.8, "keys present"). */

import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { type Gates, gatesOf } from './contract.ts';
import {
  API_SERVER_IMAGE,
  AUDIT_POLICY,
  CONTROLLER_MANAGER_IMAGE,
  EXCLUDE_LABEL,
  KUBE_PRISM_PORT,
  KUBELET_IMAGE,
  POD_SECURITY,
  PROXY_IMAGE,
  SCHEDULER_IMAGE,
} from './defaults.ts';
import { endpointHost, type GenerateInput, type GenerateOptions, type MachineRole, networksOf } from './input.ts';
import { pemToBase64 } from './pem-text.ts';
import type { PemPair } from './secrets.ts';

type Entries = Record<string, ConfigValue | undefined>;

/** Drops what is absent. */
function object(entries: Entries): ConfigObject {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined)) as ConfigObject;
}

function onlyIf<T>(condition: boolean, value: T): T | undefined {
  return condition ? value : undefined;
}

/** A text, or nothing when it is empty. */
function text(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function list(values: readonly string[] | undefined): readonly string[] | undefined {
  return values === undefined || values.length === 0 ? undefined : values;
}

function pair(pem: PemPair): ConfigObject {
  return object({ crt: pemToBase64(pem.crt), key: text(pemToBase64(pem.key)) });
}

function certificateOnly(pem: PemPair): ConfigObject {
  return { crt: pemToBase64(pem.crt) };
}

/** Decoded value of the legacy document for a role. */
export function legacyDocument(input: GenerateInput, role: MachineRole): ConfigObject {
  const gates = gatesOf(input.contract);
  return {
    version: 'v1alpha1',
    debug: false,
    persist: input.options?.persist ?? true,
    machine: machine(input, role, gates),
    cluster: role === 'controlplane' ? controlPlaneCluster(input, gates) : workerCluster(input, gates),
  };
}

function machine(input: GenerateInput, role: MachineRole, gates: Gates): ConfigObject {
  const { secrets, options = {} } = input;
  const legacy = !gates.kubernetesDocuments;
  const labels = role === 'controlplane' && gates.excludeFromLoadBalancers;
  return object({
    type: role,
    token: secrets.trustdToken,
    ca: role === 'controlplane' ? pair(secrets.certs.os) : certificateOnly(secrets.certs.os),
    certSANs: list(options.machineSans ?? options.additionalSans),
    kubelet: onlyIf(legacy, kubelet(input, gates)),
    network: network(options, gates),
    install: onlyIf(legacy, install(options, gates)),
    sysctls: onlyIf(legacy && options.sysctls !== undefined, options.sysctls),
    registries: registries(options, gates),
    features: features(gates),
    nodeLabels: onlyIf(legacy && labels, { [EXCLUDE_LABEL]: '' }),
  });
}

function kubelet(input: GenerateInput, gates: Gates): ConfigObject {
  return object({
    image: `${KUBELET_IMAGE}:v${input.kubernetesVersion}`,
    defaultRuntimeSeccompProfileEnabled: onlyIf(gates.seccompDefault, true),
    disableManifestsDirectory: onlyIf(gates.manifestsDirectoryDisabled, true),
  });
}

/** Empty up to v1.12, where KubeSpan has its switch in it. */
function network(options: GenerateOptions, gates: Gates): ConfigObject | undefined {
  if (gates.kubeSpanDocument) return undefined;
  return object({ kubespan: onlyIf(options.kubeSpan === true, { enabled: true }) });
}

function install(options: GenerateOptions, gates: Gates): ConfigObject {
  return object({
    disk: text(options.installDisk),
    extraKernelArgs: list(options.installExtraKernelArgs),
    image: text(options.installImage),
    wipe: false,
    grubUseUKICmdline: onlyIf(gates.grubUseUkiCmdline, true),
  });
}

function registries(options: GenerateOptions, gates: Gates): ConfigObject | undefined {
  if (gates.networkDocuments) return undefined;
  const mirrors: Record<string, ConfigValue> = {};
  if (gates.alternateImageRegistries) {
    mirrors['k8s.gcr.io'] = { endpoints: ['https://registry.k8s.io', 'https://k8s.gcr.io'] };
  }
  for (const [host, endpoints] of Object.entries(options.registryMirrors ?? {})) mirrors[host] = { endpoints };
  if (Object.keys(mirrors).length > 0) return { mirrors };
  return options.keepEmpty === true ? { mirrors: {}, config: {} } : undefined;
}

function features(gates: Gates): ConfigObject {
  const legacy = !gates.kubernetesDocuments;
  return object({
    rbac: onlyIf(!gates.networkDocuments, true),
    stableHostname: onlyIf(gates.stableHostname && !gates.networkDocuments, true),
    apidCheckExtKeyUsage: onlyIf(gates.extKeyUsageCheck && !gates.networkDocuments, true),
    diskQuotaSupport: onlyIf(gates.diskQuota, true),
    kubePrism: onlyIf(gates.kubePrism && legacy, { enabled: true, port: KUBE_PRISM_PORT }),
    hostDNS: onlyIf(
      gates.hostDns && legacy,
      object({ enabled: true, forwardKubeDNSToHost: onlyIf(gates.forwardKubeDns, true) }),
    ),
  });
}

function controlPlaneCluster(input: GenerateInput, gates: Gates): ConfigObject {
  const { secrets, options = {} } = input;
  const { certs } = secrets;
  const etcd = { ca: pair(certs.etcd) };
  const empty = options.keepEmpty === true ? { extraManifests: [], inlineManifests: [] } : {};
  if (gates.kubernetesDocuments) return object({ token: secrets.secrets.bootstrapToken, etcd, ...empty });
  const image = (repository: string): ConfigObject => ({ image: `${repository}:v${input.kubernetesVersion}` });
  const scheduling = options.allowSchedulingOnControlPlanes === true ? true : undefined;
  return object({
    ...sharedCluster(input, gates),
    clusterName: text(input.clusterName),
    aescbcEncryptionSecret: onlyIf(!gates.secretbox, secrets.secrets.aescbcEncryptionSecret),
    secretboxEncryptionSecret: onlyIf(gates.secretbox, secrets.secrets.secretboxEncryptionSecret),
    ca: pair(certs.k8s),
    aggregatorCA: pair(certs.k8sAggregator),
    serviceAccount: { key: pemToBase64(certs.k8sServiceAccountKey) },
    apiServer: apiServer(input, gates),
    controllerManager: image(CONTROLLER_MANAGER_IMAGE),
    proxy: image(PROXY_IMAGE),
    scheduler: image(SCHEDULER_IMAGE),
    etcd,
    ...empty,
    allowSchedulingOnControlPlanes: onlyIf(gates.allowSchedulingOnControlPlanes, scheduling),
    allowSchedulingOnMasters: onlyIf(!gates.allowSchedulingOnControlPlanes, scheduling),
  });
}

/** The endpoint's host is among the names of the API server up to v1.11; nothing is de-duplicated. */
function apiServer(input: GenerateInput, gates: Gates): ConfigObject {
  const sans = gates.networkDocuments ? [] : [endpointHost(input.endpoint)];
  return object({
    image: `${API_SERVER_IMAGE}:v${input.kubernetesVersion}`,
    certSANs: list([...sans, ...(input.options?.additionalSans ?? [])]),
    disablePodSecurityPolicy: onlyIf(!gates.networkDocuments, true),
    admissionControl: onlyIf(gates.podSecurityAdmission, [{ name: 'PodSecurity', configuration: POD_SECURITY }]),
    auditPolicy: onlyIf(gates.auditPolicy, AUDIT_POLICY),
  });
}

function workerCluster(input: GenerateInput, gates: Gates): ConfigObject {
  const { secrets } = input;
  if (gates.kubernetesDocuments) return { token: secrets.secrets.bootstrapToken };
  return object({
    ...sharedCluster(input, gates),
    clusterName: onlyIf(gates.clusterNameOnWorkers, text(input.clusterName)),
    ca: certificateOnly(secrets.certs.k8s),
    // The port is a matter of control planes.
    controlPlane: { endpoint: input.endpoint },
  });
}

function sharedCluster(input: GenerateInput, gates: Gates): Entries {
  const { secrets, options = {} } = input;
  const networks = networksOf(input);
  return {
    id: text(secrets.cluster.id),
    secret: text(secrets.cluster.secret),
    controlPlane: object({ endpoint: input.endpoint, localAPIServerPort: options.localApiServerPort }),
    network: object({
      cni: options.cni === undefined ? undefined : object({ name: options.cni.name, urls: list(options.cni.urls) }),
      dnsDomain: text(options.dnsDomain ?? 'cluster.local'),
      podSubnets: networks.pods,
      serviceSubnets: networks.services,
    }),
    token: text(secrets.secrets.bootstrapToken),
    discovery: {
      enabled: options.discovery ?? true,
      ...(gates.kubernetesRegistryDisabled ? { registries: { kubernetes: { disabled: true } } } : {}),
    },
  };
}
