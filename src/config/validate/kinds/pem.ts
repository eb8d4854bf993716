/** PEM fields of documents. Blocks are looked at, certificates and keys in them are not loaded. */
import { goQuote } from '../../../platform/text/quote.ts';
import { decodePem } from '../../../platform/x509/pem.ts';
import type { ConfigValue } from '../../schema/types.ts';
import { objectAt, stringsAt, textAt } from '../../view.ts';
import type { Report } from '../report.ts';

const CERTIFICATE = 'CERTIFICATE';

function labelsOf(text: string): readonly string[] {
  try {
    return decodePem(text).map((block) => block.label);
  } catch {
    return [];
  }
}

/** What is wrong with a text that must hold PEM blocks, all of one label when it is given. */
export function pemProblem(text: string, label?: string): string | undefined {
  const labels = labelsOf(text);
  const other = label === undefined ? undefined : labels.find((found) => found !== label);
  if (other !== undefined) {
    return `unexpected PEM block type ${goQuote(other)}, expected one of [${goQuote(label!)}]`;
  }
  return labels.length === 0 ? 'no PEM blocks found' : undefined;
}

/** True when the text holds at least one certificate. */
export function holdsCertificate(text: string): boolean {
  return labelsOf(text).includes(CERTIFICATE);
}

/** Checks a certificate with its key; each must be there and hold PEM. */
export function checkPair(pair: ConfigValue | undefined, report: Report, field: string, shown: string): void {
  const problem = objectAt(pair) === undefined ? undefined : pairProblem(textAt(pair, 'cert'), textAt(pair, 'key'));
  if (problem !== undefined) {
    report([field], `${shown}: ${problem}`);
  }
}

function pairProblem(certificate: string, key: string): string | undefined {
  if (certificate === '') return 'certificate is required';
  if (key === '') return 'key is required';
  const problem = pemProblem(certificate, CERTIFICATE);
  if (problem !== undefined) return `certificate: ${problem}`;
  const keyProblem = pemProblem(key);
  return keyProblem === undefined ? undefined : `key: ${keyProblem}`;
}

/** Checks the list of accepted CAs. */
export function checkAcceptedCas(value: ConfigValue, report: Report): void {
  for (const [index, text] of stringsAt(value, 'acceptedCAs').entries()) {
    const problem = pemProblem(text, CERTIFICATE);
    if (problem !== undefined) {
      report(['acceptedCAs', index], `accepted CA #${index}: ${problem}`);
    }
  }
}
