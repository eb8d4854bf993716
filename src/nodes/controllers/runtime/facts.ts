import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController } from '../../../cosi/index.ts';
import type { Machine } from '../../machine.ts';
import { definitionOf, Namespaces, READABLE_KINDS, ResourceDefinitions } from '../../resources/definition.ts';
import { NAMESPACES } from '../../resources/registry.ts';
import { SystemInformations, Versions } from '../../resources/runtime.ts';

/** What never changes during a boot: release, hardware, the catalogue of resource types. */
export function factsController(machine: Machine): Controller {
  return passController({
    name: 'runtime.VersionController',
    inputs: [],
    outputs: [
      exclusive(Versions),
      exclusive(SystemInformations),
      exclusive(ResourceDefinitions),
      exclusive(Namespaces),
    ],
    pass: (context) => {
      const { hardware } = machine.platform;
      context.set(Versions, 'version', { version: machine.profile.version });
      context.set(SystemInformations, 'systeminformation', {
        manufacturer: hardware.manufacturer,
        productName: hardware.productName,
        version: '',
        serialnumber: hardware.serialNumber,
        uuid: hardware.uuid,
        wakeUpType: 'Power Switch',
        skuNumber: '',
      });
      for (const kind of READABLE_KINDS) context.set(ResourceDefinitions, kind.type.toLowerCase(), definitionOf(kind));
      for (const namespace of NAMESPACES) context.set(Namespaces, namespace, { description: '' });
      return undefined;
    },
  });
}
