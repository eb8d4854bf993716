/** Which Kubernetes versions a Talos release runs (reference/network-config.md E.7). */

import { goQuote } from '../../platform/text/quote.ts';
import type { ConfigObject } from '../schema/types.ts';
import type { TalosVersion } from '../version.ts';
import { flagAt, objectAt, textAt } from '../view.ts';
import { isControlPlaneRole, machineRole } from './role.ts';

/** Oldest and newest Kubernetes minor per Talos minor. */
const RANGES: Readonly<Record<number, readonly [oldest: number, newest: number]>> = Object.freeze({
  8: [26, 31],
  9: [27, 32],
  10: [28, 33],
  11: [29, 34],
  12: [30, 35],
  13: [31, 36],
  14: [32, 37],
  15: [33, 38],
});

export interface KubernetesVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Version in an image reference's `:v…` tag, or what is wrong. */
export function imageVersion(image: string): KubernetesVersion | string {
  const at = image.lastIndexOf(':v');
  if (at === -1) {
    return `invalid image reference: ${goQuote(image)}`;
  }
  return parseKubernetesVersion(image.slice(at + 2).replace(/@.*$/, ''));
}

/** A version without `v` whose later parts may be missing, or what is wrong with it. */
export function parseKubernetesVersion(tag: string): KubernetesVersion | string {
  const match = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?((?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$/.exec(tag);
  if (match === null) {
    return `Invalid character(s) found in version ${goQuote(tag)}`;
  }
  const [major, minor, patch] = [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)];
  return { text: `${major}.${minor}.${patch}${match[4] ?? ''}`, major, minor, patch };
}

/** Why an image's Kubernetes version does not go with a Talos release; undefined when it does. */
export function imageProblem(image: string, talos: TalosVersion): string | undefined {
  const version = imageVersion(image);
  if (typeof version === 'string') {
    return `failed to parse Kubernetes version from image reference ${goQuote(image)}: ${version}`;
  }
  return versionProblem(version, talos);
}

/** Why a Kubernetes version does not go with a Talos release; undefined when it does. */
export function versionProblem(version: KubernetesVersion, talos: TalosVersion): string | undefined {
  const shown = talos.text.replace(/^v/, '');
  const range = RANGES[talos.minor];
  if (range === undefined) {
    return `compatibility with version ${shown} is not supported`;
  }
  const [oldest, newest] = range;
  const base = `version of Kubernetes ${version.text} is too`;
  if (version.major < 1 || (version.major === 1 && version.minor < oldest)) {
    return `${base} old to be used with Talos ${shown}`;
  }
  // The upper bound is exclusive at patch 99 of the newest minor.
  const tooNew = version.major > 1 || version.minor > newest || (version.minor === newest && version.patch >= 99);
  return tooNew ? `${base} new to be used with Talos ${shown}` : undefined;
}

/** Problems of all Kubernetes images of a legacy document; absent images take the release's own and always fit. */
export function kubernetesProblems(root: ConfigObject, talos: TalosVersion): string[] {
  const machine = objectAt(root, 'machine');
  const images: [string, string][] = [['kubelet', textAt(machine, 'kubelet', 'image')]];
  const role = machineRole(textAt(machine, 'type'));
  if (isControlPlaneRole(role)) {
    const cluster = objectAt(root, 'cluster');
    images.push(['kube-apiserver', textAt(cluster, 'apiServer', 'image')]);
    images.push(['kube-controller-manager', textAt(cluster, 'controllerManager', 'image')]);
    images.push(['kube-scheduler', textAt(cluster, 'scheduler', 'image')]);
  }
  return images.flatMap(([name, image]) => {
    const problem = image === '' ? undefined : imageProblem(image, talos);
    return problem === undefined ? [] : [`${name} image is not valid: ${problem}`];
  });
}

/** How a document names its image in messages. */
const IMAGE_DOCUMENTS: Readonly<Record<string, string>> = Object.freeze({
  KubeletConfig: 'kubelet',
  KubeAPIServerConfig: 'kube-apiserver',
  KubeControllerManagerConfig: 'kube-controller-manager',
  KubeSchedulerConfig: 'scheduler',
  KubeProxyConfig: 'proxy',
});

/** What is wrong with the image of a document of its own; a component that is switched off is not looked at. */
export function documentImageProblem(kind: string, document: ConfigObject, talos: TalosVersion): string | undefined {
  const shown = Object.hasOwn(IMAGE_DOCUMENTS, kind) ? IMAGE_DOCUMENTS[kind] : undefined;
  const image = textAt(document, 'image');
  if (shown === undefined || image === '' || flagAt(document, 'enabled') === false) {
    return undefined;
  }
  const problem = imageProblem(image, talos);
  return problem === undefined ? undefined : `${shown} image is not valid: ${problem}`;
}
