/** The release of the tool that generates: it decides defaults, not the rules (reference/v1.11.3.md 1, 11.6). */

import { DEFAULT_VERSION } from '../version.ts';

export interface ToolRelease {
  /** Minor of the 1.x release. */
  readonly minor: number;
  /** Kubernetes version without `v`. */
  readonly kubernetesVersion: string;
  readonly installImage: string;
}

/** talosctl v1.11.3. */
export const TOOL_V1_11_3: ToolRelease = Object.freeze({
  minor: DEFAULT_VERSION.minor,
  kubernetesVersion: '1.34.1',
  installImage: `ghcr.io/siderolabs/installer:${DEFAULT_VERSION.text}`,
});
