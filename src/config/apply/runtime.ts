/** Checks that need facts of the machine (reference/network-config.md E.6 "Runtime validation"; v1.11.3.md 11.4). */
import { type Config, documentsOf, legacyOf } from '../config.ts';
import { multiError } from '../validate/findings.ts';
import { diskMatchExpression } from '../validate/install.ts';
import { kubernetesProblems } from '../validate/kubernetes.ts';
import { type Mode, requiresInstall } from '../validate/mode.ts';
import { extensionsAdvice } from '../validate/sections.ts';
import { listAt, objectAt } from '../view.ts';

/** What the checks ask of the machine. */
export interface MachineFacts {
  readonly mode: Mode;
  /** How many disks an expression over `disk` selects. */
  readonly matchingDisks: (expression: string) => number;
  readonly bootedBySdBoot: boolean;
  readonly hasIommu: boolean;
}

export interface RuntimeValidation {
  readonly warnings: readonly string[];
  /** The real tool's error text; undefined when there is no error. */
  readonly error: string | undefined;
}

/** Checks a configuration against a machine; pure. */
export function runtimeValidate(config: Config, facts: MachineFacts): RuntimeValidation {
  const warnings: string[] = [];
  const legacy = legacyOf(config);
  const errors = legacy === undefined ? [] : kubernetesProblems(legacy, config.version);
  const install = objectAt(legacy, 'machine', 'install');
  const match = requiresInstall(facts.mode) ? diskMatchExpression(install) : undefined;
  if (match !== undefined && 'error' in match) {
    errors.push(`install disk selector is invalid: ${match.error}`);
  } else if (match !== undefined && facts.matchingDisks(match.expression) === 0) {
    errors.push(`no disks matched the expression: ${match.expression}`);
  }
  if (facts.bootedBySdBoot && listAt(install, 'extraKernelArgs').length > 0) {
    warnings.push('extra kernel arguments are not supported when booting using SDBoot');
  }
  if (listAt(install, 'extensions').length > 0) {
    warnings.push(extensionsAdvice(config.version.minor));
  }
  for (const _ of facts.hasIommu ? [] : documentsOf(config, 'PCIDriverRebindConfig')) {
    warnings.push('IOMMU is not enabled, this config change might not have any effect');
  }
  return { warnings, error: errors.length === 0 ? undefined : multiError([`v1alpha1.Config: ${multiError(errors)}`]) };
}
