/** Validation of a whole configuration (reference/network-config.md E.5, E.6; v1.11.3.md 11.4). */
import { type Config, locate } from '../config.ts';
import type { ConfigDocument } from '../decode/documents.ts';
import type { ConfigError } from '../errors.ts';
import { formatPath } from '../errors.ts';
import { LEGACY_KIND } from '../schema/v1alpha1/root.ts';
import type { TalosVersion } from '../version.ts';
import { textAt } from '../view.ts';
import { documentCheck } from './documents.ts';
import { type Finding, Findings, multiError } from './findings.ts';
import { jointProblems, legacyConflicts } from './joint.ts';
import { documentImageProblem, kubernetesProblems } from './kubernetes.ts';
import { checkLegacy } from './machine.ts';
import type { Mode } from './mode.ts';

export interface Validation {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** The real tool's error text (a multi-error), undefined when there is no error. */
  readonly toolError: string | undefined;
}

export interface ValidateConfigOptions {
  readonly mode: Mode;
  /** Warnings of the legacy document become errors prefixed `warning: `; those of other documents stay. */
  readonly strict?: boolean;
  /** Rules of this release; by default the one the config was loaded for. */
  readonly version?: TalosVersion;
  /**
   * Also checks Kubernetes image versions against the release, which the node does and `talosctl validate` does not
   * (reference/v1.11.3.md 11.4 "Image version vs Talos").
   */
  readonly onNode?: boolean;
}

/** Validates; pure, total. */
export function validate(config: Config, options: ValidateConfigOptions): Validation {
  const version = options.version ?? config.version;
  const errors: Finding[] = [];
  const warnings: Finding[] = [];
  const texts: string[] = [];
  for (const [index, document] of config.documents.entries()) {
    const id = documentId(document);
    const findings = new Findings(id, index);
    checkDocument(findings, document, options, version);
    errors.push(...findings.errors);
    warnings.push(...findings.warnings);
    if (findings.errors.length > 0) {
      const messages = findings.errors.map((finding) => finding.message);
      texts.push(`${id}: ${document.spec.kind === LEGACY_KIND ? multiError(messages) : messages.join('\n')}`);
    }
  }
  for (const conflict of [
    ...legacyConflicts(config),
    ...jointProblems(config, { mode: options.mode, minor: version.minor }),
  ]) {
    errors.push(conflict);
    texts.push(conflict.message);
  }
  return { errors, warnings, toolError: texts.length === 0 ? undefined : multiError(texts) };
}

/** Selectors that do not compile. One that is absent is no error here: a patch may leave it to the config that it is for. */
export function selectorErrors(config: Config): readonly ConfigError[] {
  const isWritten = ({ index, path }: Finding): boolean => {
    const document = config.documents[index];
    return document !== undefined && path.at(-1) === 'match' && textAt(document.value, ...path.map(String)) !== '';
  };
  // Selectors are read alike in every mode.
  const { errors } = validate(config, { mode: 'metal' });
  return errors.filter(isWritten).map((finding) => locateFinding(config, finding));
}

/** Name of a document in messages. */
export function documentId(document: ConfigDocument): string {
  if (document.spec.kind === LEGACY_KIND) {
    return 'v1alpha1.Config';
  }
  return document.spec.named ? `${document.spec.kind}/${document.name}` : document.spec.kind;
}

function checkDocument(
  findings: Findings,
  document: ConfigDocument,
  options: ValidateConfigOptions,
  version: TalosVersion,
): void {
  if (document.spec.kind === LEGACY_KIND) {
    checkLegacy(findings, document.value, { mode: options.mode, minor: version.minor });
    if (options.onNode === true) {
      for (const problem of kubernetesProblems(document.value, version)) {
        findings.error([], problem);
      }
    }
    if (options.strict === true) {
      for (const warning of findings.warnings.splice(0)) {
        findings.error(warning.path, `warning: ${warning.message}`);
      }
    }
    return;
  }
  const image = options.onNode === true ? documentImageProblem(document.spec.kind, document.value, version) : undefined;
  if (image !== undefined) {
    findings.error(['image'], image);
  }
  const rule = documentCheck(document.spec.kind);
  rule?.check(
    document.value,
    (path, message, severity) => {
      if (severity === 'warning') {
        findings.warn(path, message);
      } else if (!rule.firstOnly || findings.errors.length === 0) {
        findings.error(path, message);
      }
    },
    version.minor,
  );
}

/** A finding as a located error. */
export function locateFinding(config: Config, finding: Finding): ConfigError {
  const document = config.documents[finding.index];
  const place = document === undefined ? undefined : locate(config, document, finding.path);
  return {
    file: config.file,
    line: place?.line ?? 0,
    column: place?.column ?? 0,
    path: formatPath(finding.path),
    message: finding.message,
    hint: '',
  };
}
