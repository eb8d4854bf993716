/** `gen config` and `machineconfig gen` (reference/network-config.md E.8; lifecycle-api-cli.md F.2, F.4; v1.11.3.md 11.6). */

import { goQuote } from '../../../platform/text/quote.ts';
import { applyPatchesToSet } from '../../patch/apply.ts';
import { PatchError } from '../../patch/error.ts';
import { loadPatches, type Patch } from '../../patch/load.ts';
import { printCommented } from '../commented.ts';
import type { Contract } from '../contract.ts';
import { generateDocuments } from '../generate.ts';
import type { GenerateInput, GenerateOptions, MachineRole } from '../input.ts';
import { generateSecrets, type SecretsBundle, validateSecrets } from '../secrets.ts';
import { secretsOfYaml } from '../secrets-yaml.ts';
import { generateTalosconfig } from '../talosconfig.ts';
import { checkEndpoint } from './endpoint.ts';
import {
  CommandError,
  type CommandOutcome,
  contractOf,
  joinPath,
  multiError,
  type Output,
  readFile,
  runCommand,
  type Workstation,
} from './workstation.ts';

type OutputType = 'controlplane' | 'worker' | 'talosconfig';

/** Arguments and flags; an absent flag has the default of the real command. */
export interface GenConfigOptions {
  readonly clusterName: string;
  readonly endpoint: string;
  /** `--install-disk`, default `/dev/sda`. */
  readonly installDisk?: string;
  /** `--install-image`, default that of the tool's release. */
  readonly installImage?: string;
  /** `--additional-sans`. */
  readonly additionalSans?: readonly string[];
  /** `--dns-domain`, default `cluster.local`. */
  readonly dnsDomain?: string;
  /** `--version`, default `v1alpha1`. */
  readonly configVersion?: string;
  /** `--talos-version`, default the tool's own release. */
  readonly talosVersion?: string;
  /** `--kubernetes-version`, default that of the tool's release. */
  readonly kubernetesVersion?: string;
  /** `--config-patch`, `--config-patch-control-plane`, `--config-patch-worker`. */
  readonly configPatch?: readonly string[];
  readonly configPatchControlPlane?: readonly string[];
  readonly configPatchWorker?: readonly string[];
  /** `--registry-mirror host=url`. */
  readonly registryMirrors?: readonly string[];
  /** `--with-examples`, `--with-docs`: default true. */
  readonly withExamples?: boolean;
  readonly withDocs?: boolean;
  /** `--with-cluster-discovery`: default true. */
  readonly withClusterDiscovery?: boolean;
  /** `--with-kubespan`. */
  readonly withKubeSpan?: boolean;
  /** `--with-secrets`. */
  readonly withSecrets?: string;
  /** `--persist`: default true; only v1.11 and older have it. */
  readonly persist?: boolean;
  /** `--output-types`, default all three. */
  readonly outputTypes?: readonly string[];
  /** `--output`. */
  readonly output?: string;
  /** `--output-dir`, hidden and deprecated: always a directory. */
  readonly outputDir?: string;
  /** `--force` of `gen`. */
  readonly force?: boolean;
}

const OUTPUT_TYPES: readonly OutputType[] = Object.freeze(['controlplane', 'worker', 'talosconfig']);
const STDOUT = '-';

/** Runs the command. Pure but for the draws from the crypto port. */
export function runGenConfig(options: GenConfigOptions, workstation: Workstation): CommandOutcome {
  return runCommand((output) => {
    checkEndpoint(options.endpoint);
    const version = options.configVersion ?? 'v1alpha1';
    if (version !== 'v1alpha1') throw new CommandError(`unknown config version: ${goQuote(version)}`);
    const types = outputTypes(options);
    const texts = generateTexts(options, workstation, types);
    for (const type of types) {
      write(output, workstation, options.force ?? false, destination(options, type, workstation), texts[type]());
    }
  });
}

/** Requested types in the order in which they are written. */
function outputTypes(options: GenConfigOptions): OutputType[] {
  const given = options.outputTypes ?? OUTPUT_TYPES;
  if (given.length === 0) throw new CommandError('at least one output type must be specified');
  if (given.length > 1 && options.output === STDOUT) {
    throw new CommandError("can't use multiple output types with stdout");
  }
  if ((options.outputDir ?? '') !== '' && (options.output ?? '') !== '') {
    throw new CommandError("can't use both output-dir and output");
  }
  const invalid = given.filter((type) => !(OUTPUT_TYPES as readonly string[]).includes(type));
  if (invalid.length > 0) {
    throw new CommandError(multiError(invalid.map((type) => `invalid output type: ${goQuote(type)}`)));
  }
  return OUTPUT_TYPES.filter((type) => given.includes(type));
}

type Texts = Readonly<Record<OutputType, () => string>>;

/** Everything that can go wrong before the first file is written goes wrong here. */
function generateTexts(options: GenConfigOptions, workstation: Workstation, types: readonly OutputType[]): Texts {
  const registryMirrors = mirrorsOf(options.registryMirrors ?? []);
  const contract = contractOf(options.talosVersion, workstation);
  const secrets = secretsFor(options, workstation, contract);
  const minor = Math.max(contract, workstation.tool.minor);
  const loadAll = (values: readonly string[] | undefined): Patch[] => loadFlagPatches(values ?? [], workstation);
  const common = loadAll(options.configPatch);
  const forControlPlane = [...common, ...loadAll(options.configPatchControlPlane)];
  const forWorker = [...common, ...loadAll(options.configPatchWorker)];
  const input: GenerateInput = {
    clusterName: options.clusterName,
    endpoint: options.endpoint,
    kubernetesVersion: (options.kubernetesVersion ?? workstation.tool.kubernetesVersion).replace(/^v/, ''),
    contract,
    secrets,
    options: { ...generateOptions(options, workstation), registryMirrors },
  };
  const configs = {
    controlplane: patchedConfig(input, 'controlplane', forControlPlane, minor),
    worker: patchedConfig(input, 'worker', forWorker, minor),
  };
  const comments = { minor, docs: options.withDocs ?? true, examples: options.withExamples ?? true };
  const talosconfig = types.includes('talosconfig')
    ? generateTalosconfig({
        crypto: workstation.crypto,
        nowSec: workstation.nowSec,
        clusterName: options.clusterName,
        authority: secrets.certs.os,
      })
    : '';
  return {
    controlplane: () => printCommented(configs.controlplane, comments),
    worker: () => printCommented(configs.worker, comments),
    talosconfig: () => talosconfig,
  };
}

function generateOptions(options: GenConfigOptions, workstation: Workstation): GenerateOptions {
  return {
    installDisk: options.installDisk ?? '/dev/sda',
    installImage: options.installImage ?? workstation.tool.installImage,
    additionalSans: options.additionalSans ?? [],
    dnsDomain: options.dnsDomain ?? 'cluster.local',
    discovery: options.withClusterDiscovery ?? true,
    kubeSpan: options.withKubeSpan ?? false,
    persist: options.persist ?? true,
    keepEmpty: (options.withDocs ?? true) || (options.withExamples ?? true),
  };
}

function mirrorsOf(values: readonly string[]): Record<string, readonly string[]> {
  const mirrors: Record<string, readonly string[]> = {};
  for (const value of values) {
    const at = value.indexOf('=');
    if (at < 0) throw new CommandError(`invalid registry mirror spec: ${goQuote(value)}`);
    mirrors[value.slice(0, at)] = [value.slice(at + 1)];
  }
  return mirrors;
}

function secretsFor(options: GenConfigOptions, workstation: Workstation, contract: Contract): SecretsBundle {
  const { crypto, nowSec } = workstation;
  const path = options.withSecrets ?? '';
  if (path === '') return generateSecrets({ crypto, nowSec, contract });
  const text = workstation.files.readText(path);
  const loaded = text === undefined ? { error: `open ${path}: no such file or directory` } : secretsOfYaml(text);
  if ('error' in loaded) throw new CommandError(`failed to load secrets bundle: ${loaded.error}`);
  const problems = validateSecrets(loaded, crypto);
  if (problems.length > 0) throw new CommandError(`failed to validate secrets bundle: ${multiError(problems)}`);
  return loaded;
}

function loadFlagPatches(values: readonly string[], workstation: Workstation): Patch[] {
  try {
    return loadPatches(values, (path) => readFile(workstation.files, path), { minor: workstation.tool.minor });
  } catch (error) {
    if (error instanceof PatchError || error instanceof CommandError) {
      throw new CommandError(`error parsing config JSON patch: ${error.message}`);
    }
    throw error;
  }
}

function patchedConfig(input: GenerateInput, role: MachineRole, patches: readonly Patch[], minor: number) {
  try {
    return applyPatchesToSet(generateDocuments(input, role), patches, { minor });
  } catch (error) {
    if (error instanceof PatchError) throw new CommandError(`failed to generate config bundle: ${error.message}`);
    throw error;
  }
}

function destination(options: GenConfigOptions, type: OutputType, workstation: Workstation): string {
  const name = type === 'talosconfig' ? type : `${type}.yaml`;
  const directory = options.outputDir ?? '';
  const output = directory === '' ? (options.output ?? '') : directory;
  if (output === STDOUT) return STDOUT;
  if (output === '') return joinPath(workstation.files.cwd, name);
  const isFile = directory === '' && options.outputTypes?.length === 1;
  return isFile ? output : joinPath(output, name);
}

function write(output: Output, workstation: Workstation, force: boolean, path: string, content: string): void {
  if (path === STDOUT) {
    output.stdout += content;
    return;
  }
  if (!force && workstation.files.exists(path)) {
    throw new CommandError(`file ${goQuote(path)} already exists, use --force to overwrite`);
  }
  output.files.push({ path, content, mode: 0o644 });
  output.stderr += `Created ${path}\n`;
}
