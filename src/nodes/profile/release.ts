import type { Firmware } from '../../platform/platform.ts';
import type { Profile } from './profile.ts';

/**
 * The release that a boot runs: what the installer put into the booted slot, or that of the installation medium. A
 * release without a profile of its own calls itself by its tag and behaves as `medium` does (docs/fidelity.md).
 */
export function bootedRelease(firmware: Firmware, medium: Profile): Profile {
  const slot = firmware.bootedSlot();
  const version = slot === undefined ? medium.version : (firmware.slots()[slot]?.version ?? medium.version);
  return version === medium.version ? medium : { ...medium, version, sha: '', built: '' };
}
