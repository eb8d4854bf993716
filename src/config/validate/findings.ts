/** What validation found, with the real tool's words, and how the real tool lists errors. */
import type { Path } from '../errors.ts';

/** Where the words of a message apply. */
export interface Finding {
  /** `v1alpha1.Config` or `Kind/name`; empty for rules over several documents. */
  readonly document: string;
  /** Index into the config's documents; -1 for rules over several documents. */
  readonly index: number;
  /** Field path within the document. */
  readonly path: Path;
  /** The real tool's text for this one problem. */
  readonly message: string;
}

/** Collects findings of one document. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];
  private readonly document: string;
  private readonly index: number;

  constructor(document: string, index: number) {
    this.document = document;
    this.index = index;
  }

  error(path: Path, message: string): void {
    this.errors.push({ document: this.document, index: this.index, path, message });
  }

  warn(path: Path, message: string): void {
    this.warnings.push({ document: this.document, index: this.index, path, message });
  }
}

/** Text of several errors as `go-multierror` lists them. */
export function multiError(messages: readonly string[]): string {
  if (messages.length === 1) {
    return `1 error occurred:\n\t* ${messages[0]}\n\n`;
  }
  return `${messages.length} errors occurred:\n\t${messages.map((message) => `* ${message}`).join('\n\t')}\n\n`;
}
