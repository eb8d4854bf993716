/**
 * From a talhelper `talconfig.yaml` to the machine configs it stands for. Per node: the generated config, the node's settings
 * (its group's where it has none), the patches for all nodes, those of the group, those of the node, then further documents.
 */

import type { CryptoPort } from '../../platform/crypto.ts';
import type { EnvSource } from '../env.ts';
import { fillPlaceholders } from '../env.ts';
import type { ConfigError } from '../errors.ts';
import { parseContract } from '../generate/contract.ts';
import { generateDocuments } from '../generate/generate.ts';
import type { CniChoice, GenerateInput, MachineRole } from '../generate/input.ts';
import { generateSecrets, type SecretsBundle } from '../generate/secrets.ts';
import { generateTalosconfig } from '../generate/talosconfig.ts';
import { TOOL_V1_11_3 } from '../generate/tool-release.ts';
import { applyPatchesToSet } from '../patch/apply.ts';
import { type ConfigSet, type PatchableDocument, printConfigSet } from '../patch/config-set.ts';
import { PatchError } from '../patch/error.ts';
import { loadPatches, type Patch, parsePatch } from '../patch/load.ts';
import { applyStrategic, type StrategicStep } from '../patch/strategic.ts';
import { documentSpec } from '../schema/registry.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { DEFAULT_VERSION } from '../version.ts';
import { listAt, objectAt, stringsAt, textAt } from '../view.ts';
import { applyNode, nodeDocuments, withGroup } from './node.ts';
import { readTalconfig, wholeFile } from './read.ts';

export interface TalhelperRequest {
  readonly text: string;
  /** Name of the file, for errors. */
  readonly file: string;
  readonly env?: EnvSource;
  /** Reads a file that the talconfig names (patches, manifests); undefined when there is none. */
  readonly readText: (path: string) => string | undefined;
  /** `skip` leaves out files that do not exist and says so, instead of refusing. */
  readonly missingFiles?: 'refuse' | 'skip';
  readonly crypto: CryptoPort;
  readonly nowSec: number;
  /** Secrets of the cluster; made anew when absent. */
  readonly secrets?: SecretsBundle;
}

interface NodeConfig {
  readonly hostname: string;
  readonly addresses: readonly string[];
  readonly role: MachineRole;
  /** `<cluster>-<hostname>.yaml`. */
  readonly fileName: string;
  readonly text: string;
}

export interface TalhelperResult {
  readonly nodes: readonly NodeConfig[];
  /** With the addresses of the control planes as endpoints; empty when there are errors. */
  readonly talosconfig: string;
  readonly errors: readonly ConfigError[];
  readonly warnings: readonly ConfigError[];
}

/** talhelper's default when the file names no release: the release that we simulate. */
const DEFAULT_TALOS_VERSION = DEFAULT_VERSION.text;
const DEFAULT_KUBERNETES_VERSION = TOOL_V1_11_3.kubernetesVersion;

/** Generates all configs; problems come back located, never as exceptions. */
export function generateFromTalconfig(request: TalhelperRequest): TalhelperResult {
  const read = readTalconfig(request, 15);
  if (read.errors.length > 0) return { nodes: [], talosconfig: '', errors: read.errors, warnings: read.warnings };
  const run = new Run(request, read.value);
  run.all();
  const errors = run.errors;
  return {
    nodes: run.nodes,
    talosconfig: errors.length === 0 ? run.talosconfig() : '',
    errors,
    warnings: [...read.warnings, ...run.warnings],
  };
}

class Run {
  readonly nodes: NodeConfig[] = [];
  readonly errors: ConfigError[] = [];
  readonly warnings: ConfigError[] = [];
  readonly #request: TalhelperRequest;
  readonly #config: ConfigObject;
  readonly #talosVersion: string;
  #minor = 0;
  #secrets: SecretsBundle | undefined;

  constructor(request: TalhelperRequest, config: ConfigObject) {
    this.#request = request;
    this.#config = config;
    const version = textAt(config, 'talosVersion') || DEFAULT_TALOS_VERSION;
    this.#talosVersion = version.startsWith('v') ? version : `v${version}`;
  }

  all(): void {
    const contract = parseContract(this.#talosVersion);
    if (typeof contract === 'object') this.#refuse(contract.error);
    for (const name of ['clusterName', 'endpoint'] as const) {
      if (textAt(this.#config, name) === '') this.#refuse(`${name} is required`);
    }
    const nodes = listAt(this.#config, 'nodes') as readonly ConfigObject[];
    if (nodes.length === 0) this.#refuse('at least one node is required');
    if (this.errors.length > 0 || typeof contract === 'object') return;
    this.#minor = contract;
    const { crypto, nowSec } = this.#request;
    this.#secrets = this.#request.secrets ?? generateSecrets({ crypto, nowSec, contract });
    for (const [index, node] of nodes.entries()) this.#node(node, index);
  }

  #node(own: ConfigObject, index: number): void {
    const role: MachineRole = own.controlPlane === true ? 'controlplane' : 'worker';
    const group = objectAt(this.#config, role === 'controlplane' ? 'controlPlane' : 'worker') ?? {};
    const node = withGroup(own, group);
    const hostname = textAt(node, 'hostname');
    if (hostname === '') {
      this.#refuse(`nodes[${index}]: hostname is required`);
      return;
    }
    try {
      const set = this.#build(node, role);
      this.nodes.push({
        hostname,
        addresses: addressesOf(node),
        role,
        fileName: `${textAt(this.#config, 'clusterName')}-${hostname}.yaml`,
        text: printConfigSet(set, this.#printMinor()),
      });
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      this.#refuse(`node ${hostname}: ${error.message}`);
    }
  }

  /** Newest rules that apply to the release; older ones than v1.8 print as it does. */
  #printMinor(): number {
    return Math.max(this.#minor, 8);
  }

  #build(node: ConfigObject, role: MachineRole): ConfigSet {
    const minor = this.#printMinor();
    const context = {
      factory: objectAt(this.#config, 'imageFactory') ?? {},
      talosVersion: this.#talosVersion,
      minor: this.#minor,
    };
    const [legacy, ...others] = generateDocuments(this.#input(), role).documents;
    const base: ConfigSet = {
      documents: [{ ...legacy!, value: applyNode(legacy!.value, node, context) }, ...others],
    };
    const patches = [
      ...this.#patches(stringsAt(this.#config, 'patches')),
      ...this.#patches(stringsAt(node, 'patches')),
    ];
    const patched = applyPatchesToSet(base, patches, { minor });
    const steps = nodeDocuments(node, this.#minor).map(
      (document): StrategicStep => ({
        type: 'merge',
        document: this.#document(document.kind, document.value),
      }),
    );
    const extended = applyStrategic(patched, { type: 'strategic', steps }, Math.max(minor, 12));
    return applyPatchesToSet(extended, this.#manifests(stringsAt(node, 'extraManifests')), { minor });
  }

  #input(): GenerateInput {
    const config = this.#config;
    const scheduling = config.allowSchedulingOnMasters === true || config.allowSchedulingOnControlPlanes === true;
    const cni = objectAt(config, 'cniConfig');
    const version = textAt(config, 'kubernetesVersion').replace(/^v/, '') || DEFAULT_KUBERNETES_VERSION;
    return {
      clusterName: textAt(config, 'clusterName'),
      endpoint: textAt(config, 'endpoint'),
      kubernetesVersion: version,
      contract: this.#minor,
      secrets: this.#secrets!,
      options: {
        machineSans: stringsAt(config, 'additionalMachineCertSans'),
        additionalSans: stringsAt(config, 'additionalApiServerCertSans'),
        ...(textAt(config, 'domain') === '' ? {} : { dnsDomain: textAt(config, 'domain') }),
        ...(listAt(config, 'clusterPodNets').length === 0 ? {} : { podSubnets: stringsAt(config, 'clusterPodNets') }),
        ...(listAt(config, 'clusterSvcNets').length === 0
          ? {}
          : { serviceSubnets: stringsAt(config, 'clusterSvcNets') }),
        ...(cni === undefined ? {} : { cni: cniOf(cni) }),
        allowSchedulingOnControlPlanes: scheduling,
      },
    };
  }

  #document(kind: string, body: ConfigObject): PatchableDocument {
    const spec = documentSpec(kind, this.#printMinor()) ?? null;
    const { name, ...rest } = body;
    const header = { apiVersion: 'v1alpha1', kind, ...(name === undefined ? {} : { name }) };
    return { kind, apiVersion: 'v1alpha1', name: textAt(body, 'name'), spec, value: { ...header, ...rest } };
  }

  #patches(values: readonly string[]): Patch[] {
    const options = { minor: this.#printMinor() };
    const present = values.filter((value) => !value.startsWith('@') || this.#isPresent(value.slice(1)));
    return loadPatches(present, (path) => this.#fileText(path), options);
  }

  /** Documents in files, appended or merged as a strategic patch is. */
  #manifests(paths: readonly string[]): Patch[] {
    const present = paths.map((path) => path.replace(/^@/, '')).filter((path) => this.#isPresent(path));
    return present.map((path) => parsePatch(this.#fileText(path), { minor: this.#printMinor(), file: path }));
  }

  #isPresent(path: string): boolean {
    if (this.#request.missingFiles !== 'skip' || this.#request.readText(path) !== undefined) return true;
    const message = `${path} does not exist and is left out`;
    if (!this.warnings.some((warning) => warning.message === message)) {
      this.warnings.push(wholeFile(this.#request.file, message));
    }
    return false;
  }

  #fileText(path: string): string {
    const text = this.#request.readText(path);
    if (text === undefined) throw new PatchError(`open ${path}: no such file or directory`);
    const filled = fillPlaceholders(text, path, this.#request.env);
    if (filled.errors.length > 0) {
      const { line, message } = filled.errors[0]!;
      throw new PatchError(`${path}:${line}: ${message}`, filled.errors);
    }
    return filled.text;
  }

  #refuse(message: string): void {
    this.errors.push(wholeFile(this.#request.file, message));
  }

  talosconfig(): string {
    const controlPlanes = this.nodes.filter((node) => node.role === 'controlplane');
    return generateTalosconfig({
      crypto: this.#request.crypto,
      nowSec: this.#request.nowSec,
      clusterName: textAt(this.#config, 'clusterName'),
      authority: this.#secrets!.certs.os,
      endpoints: controlPlanes.flatMap((node) => node.addresses),
    });
  }
}

function addressesOf(node: ConfigObject): string[] {
  return textAt(node, 'ipAddress')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
}

function cniOf(cni: ConfigObject): CniChoice {
  const name: ConfigValue | undefined = cni.name;
  const known = name === 'custom' || name === 'none' ? name : 'flannel';
  return { name: known, urls: stringsAt(cni, 'urls') };
}
