import { describe, expect, it } from 'vitest';
import type { Program } from '../../src/platform/containers.ts';
import { INSTALLER, type ProgramSet, resolveImage } from '../../src/world/programs.ts';

const installer = {} as Program;
const programs = { images: { [INSTALLER]: () => installer } } as unknown as ProgramSet;
const schematic = 'a'.repeat(64);

describe('images of the registry', () => {
  it.each([
    `${INSTALLER}:v1.11.3`,
    `${INSTALLER}:v1.12.0-beta.1`,
    `${INSTALLER}:latest`,
    INSTALLER,
    `factory.talos.dev/metal-installer/${schematic}:v1.10.2`,
  ])('has %s', (image) => {
    expect(resolveImage(programs, image)).toBe(installer);
  });

  it.each([
    `${INSTALLER}:v9.99.9`,
    `${INSTALLER}:1.11.3`,
    `${INSTALLER}:v1.11`,
    `factory.talos.dev/installer/${schematic}:nightly`,
    'ghcr.io/siderolabs/instaler:v1.11.3',
  ])('does not have %s', (image) => {
    expect(resolveImage(programs, image)).toBe(undefined);
  });
});
