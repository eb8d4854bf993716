import type { World } from './world.ts';
import { hostWorld } from './worlds/host.ts';
import { simWorld } from './worlds/sim.ts';

/** Every world that the suites run against. */
export const WORLDS: readonly World[] = [simWorld, hostWorld];
