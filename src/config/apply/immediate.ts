/** Which changes work without a reboot (reference/v1.11.3.md 4.2, the white list). */

import { deepEqual } from '../../platform/deep-equal.ts';
import { type Config, legacyOf } from '../config.ts';
import { printDocuments, printStruct } from '../encode/print.ts';
import type { ConfigObject, ConfigValue } from '../schema/types.ts';
import { rootConfig } from '../schema/v1alpha1/root.ts';
import { unifiedDiff } from '../text/diff.ts';
import { isObject } from '../view.ts';

const LIVE_ROOT: readonly string[] = Object.freeze(['debug', 'cluster']);

const LIVE_MACHINE: readonly string[] = Object.freeze([
  'ca',
  'acceptedCAs',
  'time',
  'certSANs',
  'install',
  'network',
  'sysfs',
  'sysctls',
  'logging',
  'controlPlane',
  'kubelet',
  'kernel',
  'registries',
  'pods',
  'seccompProfiles',
  'nodeAnnotations',
  'nodeLabels',
  'nodeTaints',
]);

const LIVE_FEATURES: readonly string[] = Object.freeze([
  'kubernetesTalosAPIAccess',
  'kubePrism',
  'hostDNS',
  'imageCache',
  'nodeAddressSortAlgorithm',
]);

/** First release that never reboots for a config change. */
const ALWAYS_LIVE_FROM = 14;

/**
 * Why the change from one configuration to the next needs a reboot, in the words of the real tool with a diff of
 * what is not live; undefined when it is live. Side documents are never compared.
 */
export function rebootReason(current: Config, next: Config): string | undefined {
  if (current.version.minor >= ALWAYS_LIVE_FROM) {
    return undefined;
  }
  const before = legacyOf(current);
  const after = legacyOf(next);
  if (before === undefined || after === undefined) {
    return before === undefined ? 'current config is not v1alpha1' : 'new config is not v1alpha1';
  }
  const masked = withLiveParts(after, before);
  if (deepEqual(before, masked)) {
    return undefined;
  }
  const options = { minor: current.version.minor };
  const diff = unifiedDiff(printStruct(rootConfig, before, options), printStruct(rootConfig, masked, options));
  return `this config change can't be applied in immediate mode\ndiff:\n${diff}`;
}

/** The next document with everything live taken from the current one, so that only the rest differs. */
function withLiveParts(next: ConfigObject, current: ConfigObject): ConfigObject {
  const root = takeFrom(next, current, LIVE_ROOT);
  const machine = root.machine;
  const currentMachine = current.machine;
  if (!isObject(machine) || !isObject(currentMachine)) {
    return root;
  }
  const taken = takeFrom(machine, currentMachine, LIVE_MACHINE);
  const features = taken.features;
  const currentFeatures = currentMachine.features;
  const live =
    isObject(features) && isObject(currentFeatures)
      ? { ...taken, features: takeFrom(features, currentFeatures, LIVE_FEATURES) }
      : taken;
  return { ...root, machine: live };
}

function takeFrom(target: ConfigObject, source: ConfigObject, keys: readonly string[]): ConfigObject {
  const out: Record<string, ConfigValue> = { ...target };
  for (const key of keys) {
    const value = source[key];
    if (value === undefined) {
      delete out[key];
    } else {
      out[key] = value;
    }
  }
  return out;
}

/** Diff of two whole configurations without comments; empty when nothing changes. */
export function configDiff(current: Config, next: Config): string {
  const options = { minor: current.version.minor };
  return unifiedDiff(printDocuments(current.documents, options), printDocuments(next.documents, options));
}
