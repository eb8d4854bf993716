import type { MachinePlatform } from '../platform/platform.ts';
import type { Task } from '../platform/task.ts';
import type { Profile } from './profile/profile.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * PID 1 of a Talos machine: runs from power on until the machine is switched off, rebooted or cut. Everything that
 * happens is visible as the events declared in `events.ts` and through the machine API on port 50000.
 */
export type MachineSupervisor = (platform: MachinePlatform, profile: Profile, surroundings: Surroundings) => Task<void>;
