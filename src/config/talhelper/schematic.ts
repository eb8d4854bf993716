/** Installer images of the image factory: a schematic's id is the SHA-256 of its YAML text. */

import { toHex, utf8Encode } from '../../platform/bytes.ts';
import { sha256 } from '../../platform/hash.ts';
import { printStruct } from '../encode/print.ts';
import type { ConfigObject, StructSpec } from '../schema/types.ts';
import { objectAt, textAt } from '../view.ts';
import { talconfigSpec } from './schema.ts';

/** Id under which the factory knows a schematic; the empty one has the id that all plain images carry. */
export function schematicId(schematic: ConfigObject, minor: number): string {
  const withCustomization = { customization: {}, ...schematic };
  return toHex(sha256(utf8Encode(printStruct(schematicSpec(), withCustomization, { minor }))));
}

function schematicSpec(): StructSpec {
  const group = talconfigSpec.byName.controlPlane!.type as { kind: 'struct'; struct: StructSpec };
  return (group.struct.byName.schematic!.type as { kind: 'struct'; struct: StructSpec }).struct;
}

/** Installer image of a node: its own URL, the factory's image of its schematic, or the plain installer. */
export function installerImage(node: ConfigObject, factory: ConfigObject, version: string, minor: number): string {
  const url = textAt(node, 'talosImageURL');
  if (url !== '') return `${url}:${version}`;
  const schematic = objectAt(node, 'schematic');
  if (schematic === undefined) return `ghcr.io/siderolabs/installer:${version}`;
  const secureboot = objectAt(node, 'machineSpec')?.secureboot === true ? '-secureboot' : '';
  const registry = textAt(factory, 'registryURL') || 'factory.talos.dev';
  return `${registry}/installer${secureboot}/${schematicId(schematic, minor)}:${version}`;
}
