/** `machine` with defaults (reference/network-config.md E.2). */
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode } from '../../platform/bytes.ts';
import { parseDuration } from '../../platform/text/duration.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { diskMatchExpression } from '../validate/install.ts';
import { type MachineRole, machineRole } from '../validate/role.ts';
import { flagAt, isObject, listAt, numberAt, objectAt, stringsAt, textAt, textMapAt } from '../view.ts';
import { type NetworkConfig, networkConfig } from './network.ts';
import type { CertificateAndKey, ReleaseDefaults } from './types.ts';

type TextMap = Readonly<Record<string, string>>;

export interface KubeletConfig {
  readonly image: string;
  readonly clusterDNS: readonly string[];
  readonly extraArgs: Readonly<Record<string, readonly string[]>>;
  readonly extraMounts: readonly ConfigObject[];
  readonly extraConfig: ConfigObject;
  readonly credentialProviderConfig: ConfigObject;
  readonly defaultRuntimeSeccompProfileEnabled: boolean;
  readonly registerWithFQDN: boolean;
  readonly nodeIPValidSubnets: readonly string[];
  readonly skipNodeRegistration: boolean;
  readonly disableManifestsDirectory: boolean;
}

export interface InstallConfig {
  /** True when the section exists. */
  readonly present: boolean;
  readonly disk: string;
  /** Expression over `disk`, from the selector; undefined without one. */
  readonly diskMatch: string | undefined;
  readonly image: string;
  readonly wipe: boolean;
  readonly extraKernelArgs: readonly string[];
  readonly extensions: readonly string[];
  readonly legacyBIOSSupport: boolean;
}

export interface Features {
  readonly rbac: boolean;
  readonly stableHostname: boolean;
  readonly apidCheckExtKeyUsage: boolean;
  readonly diskQuotaSupport: boolean;
  readonly kubePrism: { readonly enabled: boolean; readonly port: number };
  readonly hostDNS: {
    readonly enabled: boolean;
    readonly forwardKubeDNSToHost: boolean;
    readonly resolveMemberNames: boolean;
  };
  readonly kubernetesTalosAPIAccess: {
    readonly enabled: boolean;
    readonly allowedRoles: readonly string[];
    readonly allowedKubernetesNamespaces: readonly string[];
  };
  readonly imageCacheLocalEnabled: boolean;
  readonly nodeAddressSortAlgorithm: 'v1' | 'v2';
}

export interface MachineAccess {
  readonly type: MachineRole;
  readonly token: string;
  readonly ca: CertificateAndKey | undefined;
  readonly acceptedCAs: readonly string[];
  readonly certSANs: readonly string[];
  readonly controllerManagerDisabled: boolean;
  readonly schedulerDisabled: boolean;
  readonly kubelet: KubeletConfig;
  readonly pods: readonly ConfigObject[];
  readonly network: NetworkConfig;
  readonly install: InstallConfig;
  readonly env: TextMap;
  readonly time: {
    readonly disabled: boolean;
    readonly servers: readonly string[];
    /** 0 waits for ever. */
    readonly bootTimeoutUs: number;
  };
  readonly sysctls: TextMap;
  readonly sysfs: TextMap;
  readonly registries: ConfigObject;
  readonly features: Features;
  readonly logging: readonly { readonly endpoint: string; readonly format: string; readonly extraTags: TextMap }[];
  readonly kernelModules: readonly { readonly name: string; readonly parameters: readonly string[] }[];
  readonly nodeLabels: TextMap;
  readonly nodeAnnotations: TextMap;
  readonly nodeTaints: TextMap;
  readonly files: readonly ConfigObject[];
  readonly disks: readonly ConfigObject[];
  readonly systemDiskEncryption: ConfigObject;
  readonly udevRules: readonly string[];
  readonly seccompProfiles: readonly ConfigObject[];
  readonly baseRuntimeSpecOverrides: ConfigObject;
}

/** Accessors of the machine section; all defaults when it is absent. */
export function machineAccess(machine: ConfigObject | undefined, defaults: ReleaseDefaults): MachineAccess {
  return {
    type: machineRole(textAt(machine, 'type')),
    token: textAt(machine, 'token'),
    ca: pem(objectAt(machine, 'ca')),
    acceptedCAs: listAt(machine, 'acceptedCAs').map((entry) => decodePemText(textAt(entry, 'crt'))),
    certSANs: stringsAt(machine, 'certSANs'),
    controllerManagerDisabled: flagAt(machine, 'controlPlane', 'controllerManager', 'disabled') ?? false,
    schedulerDisabled: flagAt(machine, 'controlPlane', 'scheduler', 'disabled') ?? false,
    kubelet: kubelet(objectAt(machine, 'kubelet'), defaults),
    pods: objectsAt(machine, 'pods'),
    network: networkConfig(objectAt(machine, 'network')),
    install: install(objectAt(machine, 'install'), defaults),
    env: textMapAt(machine, 'env'),
    time: {
      disabled: flagAt(machine, 'time', 'disabled') ?? false,
      servers: stringsAt(machine, 'time', 'servers'),
      bootTimeoutUs: durationUs(textAt(machine, 'time', 'bootTimeout')),
    },
    sysctls: textMapAt(machine, 'sysctls'),
    sysfs: textMapAt(machine, 'sysfs'),
    registries: objectAt(machine, 'registries') ?? {},
    features: features(objectAt(machine, 'features')),
    logging: listAt(machine, 'logging', 'destinations').map((entry) => ({
      endpoint: textAt(entry, 'endpoint'),
      format: textAt(entry, 'format'),
      extraTags: textMapAt(entry, 'extraTags'),
    })),
    kernelModules: listAt(machine, 'kernel', 'modules').map((entry) => ({
      name: textAt(entry, 'name'),
      parameters: stringsAt(entry, 'parameters'),
    })),
    nodeLabels: textMapAt(machine, 'nodeLabels'),
    nodeAnnotations: textMapAt(machine, 'nodeAnnotations'),
    nodeTaints: textMapAt(machine, 'nodeTaints'),
    files: objectsAt(machine, 'files'),
    disks: objectsAt(machine, 'disks'),
    systemDiskEncryption: objectAt(machine, 'systemDiskEncryption') ?? {},
    udevRules: stringsAt(machine, 'udev', 'rules'),
    seccompProfiles: objectsAt(machine, 'seccompProfiles'),
    baseRuntimeSpecOverrides: objectAt(machine, 'baseRuntimeSpecOverrides') ?? {},
  };
}

function kubelet(config: ConfigObject | undefined, defaults: ReleaseDefaults): KubeletConfig {
  return {
    image: textAt(config, 'image') || `${defaults.kubeletImage}:v${defaults.kubernetesVersion}`,
    clusterDNS: stringsAt(config, 'clusterDNS'),
    extraArgs: argumentsAt(config, 'extraArgs'),
    extraMounts: objectsAt(config, 'extraMounts'),
    extraConfig: objectAt(config, 'extraConfig') ?? {},
    credentialProviderConfig: objectAt(config, 'credentialProviderConfig') ?? {},
    defaultRuntimeSeccompProfileEnabled: flagAt(config, 'defaultRuntimeSeccompProfileEnabled') ?? false,
    registerWithFQDN: flagAt(config, 'registerWithFQDN') ?? false,
    nodeIPValidSubnets: stringsAt(config, 'nodeIP', 'validSubnets'),
    skipNodeRegistration: flagAt(config, 'skipNodeRegistration') ?? false,
    disableManifestsDirectory: flagAt(config, 'disableManifestsDirectory') ?? false,
  };
}

function install(config: ConfigObject | undefined, defaults: ReleaseDefaults): InstallConfig {
  const match = diskMatchExpression(config);
  return {
    present: config !== undefined,
    disk: textAt(config, 'disk'),
    diskMatch: match !== undefined && 'expression' in match ? match.expression : undefined,
    image: textAt(config, 'image') || defaults.installerImage,
    wipe: flagAt(config, 'wipe') ?? false,
    extraKernelArgs: stringsAt(config, 'extraKernelArgs'),
    extensions: listAt(config, 'extensions').map((entry) => textAt(entry, 'image')),
    legacyBIOSSupport: flagAt(config, 'legacyBIOSSupport') ?? false,
  };
}

const DEFAULT_KUBEPRISM_PORT = 7445;

function features(config: ConfigObject | undefined): Features {
  const access = objectAt(config, 'kubernetesTalosAPIAccess');
  return {
    rbac: flagAt(config, 'rbac') ?? false,
    stableHostname: flagAt(config, 'stableHostname') ?? false,
    apidCheckExtKeyUsage: flagAt(config, 'apidCheckExtKeyUsage') ?? false,
    diskQuotaSupport: flagAt(config, 'diskQuotaSupport') ?? false,
    kubePrism: {
      enabled: flagAt(config, 'kubePrism', 'enabled') ?? false,
      port: numberAt(config, 'kubePrism', 'port') || DEFAULT_KUBEPRISM_PORT,
    },
    hostDNS: {
      enabled: flagAt(config, 'hostDNS', 'enabled') ?? false,
      forwardKubeDNSToHost: flagAt(config, 'hostDNS', 'forwardKubeDNSToHost') ?? false,
      resolveMemberNames: flagAt(config, 'hostDNS', 'resolveMemberNames') ?? false,
    },
    kubernetesTalosAPIAccess: {
      enabled: flagAt(access, 'enabled') ?? false,
      allowedRoles: stringsAt(access, 'allowedRoles'),
      allowedKubernetesNamespaces: stringsAt(access, 'allowedKubernetesNamespaces'),
    },
    imageCacheLocalEnabled: flagAt(config, 'imageCache', 'localEnabled') ?? false,
    nodeAddressSortAlgorithm: textAt(config, 'nodeAddressSortAlgorithm').toLowerCase() === 'v2' ? 'v2' : 'v1',
  };
}

/** A pair as PEM text; undefined when the section is absent. */
export function pem(section: ConfigObject | undefined): CertificateAndKey | undefined {
  return section === undefined
    ? undefined
    : { crt: decodePemText(textAt(section, 'crt')), key: decodePemText(textAt(section, 'key')) };
}

/** Text inside base64; empty when there is none. */
export function decodePemText(text: string): string {
  const bytes = decodeBase64(text);
  return bytes === null ? '' : utf8Decode(bytes);
}

/** Program arguments, each a list of values (one up to v1.11). */
export function argumentsAt(
  value: ConfigValue | undefined,
  ...keys: readonly string[]
): Readonly<Record<string, readonly string[]>> {
  const out: Record<string, readonly string[]> = Object.create(null);
  for (const [name, item] of Object.entries(objectAt(value, ...keys) ?? {})) {
    out[name] = typeof item === 'string' ? [item] : Array.isArray(item) ? stringsAt(item) : [''];
  }
  return out;
}

/** Structs of a list; null entries are left out. */
export function objectsAt(value: ConfigValue | undefined, ...keys: readonly string[]): readonly ConfigObject[] {
  return listAt(value, ...keys).filter(isObject);
}

/** Microseconds of a canonical duration; 0 when absent. */
export function durationUs(text: string): number {
  const ns = text === '' ? 0n : parseDuration(text);
  return typeof ns === 'bigint' ? Number(ns / 1000n) : 0;
}
