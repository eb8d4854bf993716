/** Generating machine configs and a talosconfig (reference/network-config.md E.8). */

import { type ConfigSet, type PatchableDocument, printConfigSet } from '../patch/config-set.ts';
import { documentSpec } from '../schema/registry.ts';
import { legacyDocument as legacySpec } from '../schema/v1alpha1/root.ts';
import { type Contract, gatesOf } from './contract.ts';
import type { GenerateInput, MachineRole } from './input.ts';
import { kubernetesDocuments } from './kubernetes-documents.ts';
import { legacyDocument } from './legacy-document.ts';
import { type SideDocument, sideDocuments } from './side-documents.ts';

/** Documents of the config for a role. */
export function generateDocuments(input: GenerateInput, role: MachineRole): ConfigSet {
  const sides = sideDocuments(input);
  if (gatesOf(input.contract).kubernetesDocuments) sides.push(...kubernetesDocuments(input, role));
  const legacy: PatchableDocument = {
    kind: legacySpec.kind,
    apiVersion: '',
    name: '',
    spec: legacySpec,
    value: legacyDocument(input, role),
  };
  return { documents: [legacy, ...sides.map((document) => patchable(document, input.contract))] };
}

/** The config for a role as text, without comments. */
export function generateConfigText(input: GenerateInput, role: MachineRole): string {
  return printConfigSet(generateDocuments(input, role), input.contract);
}

function patchable({ kind, name, body }: SideDocument, contract: Contract): PatchableDocument {
  const header = { apiVersion: 'v1alpha1', kind, ...(name === '' ? {} : { name }) };
  return {
    kind,
    apiVersion: 'v1alpha1',
    name,
    spec: documentSpec(kind, contract) ?? null,
    value: { ...header, ...body },
  };
}
