import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController } from '../../../cosi/index.ts';
import type { Machine } from '../../machine.ts';
import { ExtensionStatuses } from '../../resources/runtime.ts';

/** Extensions of the image that booted, and its schematic, as the image factory marks it (reference/lifecycle-api-cli.md C.3, E.6). */
export function extensionStatusController(machine: Machine): Controller {
  return passController({
    name: 'runtime.ExtensionStatusController',
    inputs: [],
    outputs: [exclusive(ExtensionStatuses)],
    pass: (context) => {
      const { firmware } = machine.platform;
      const slot = firmware.bootedSlot();
      const schematic = slot === undefined ? '' : (firmware.slots()[slot]?.schematic ?? '');
      const { version } = machine.profile;
      const names = machine.surroundings.extensionsOf(schematic);
      const extensions = names.map((name) => ({ name: name.slice(name.lastIndexOf('/') + 1), version }));
      if (schematic !== '') extensions.push({ name: 'schematic', version: schematic });
      for (const [index, { name, version }] of extensions.entries()) {
        const author = name === 'schematic' ? 'Image Factory' : 'Sidero Labs';
        context.set(ExtensionStatuses, String(index), { metadata: { name, version, author } });
      }
      return undefined;
    },
  });
}
