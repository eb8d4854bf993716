/** `machine.install.diskSelector` as an expression (reference/network-config.md E.2.2). */

import { parseBytes } from '../../platform/text/humanize.ts';
import { goQuote } from '../../platform/text/quote.ts';
import type { ConfigObject } from '../schema/types.ts';
import { objectAt, textAt } from '../view.ts';

export type DiskMatch = { readonly expression: string } | { readonly error: string } | undefined;

/** The expression that selects the install disk; undefined without a selector. */
export function diskMatchExpression(install: ConfigObject | undefined): DiskMatch {
  const selector = objectAt(install, 'diskSelector');
  if (selector === undefined) {
    return undefined;
  }
  if (textAt(selector, 'name') !== '') {
    return { error: 'selector on name is not supported' };
  }
  const kind = typeTerm(textAt(selector, 'type'));
  if (typeof kind !== 'string') {
    return kind;
  }
  const terms = [
    sizeTerm(textAt(selector, 'size')),
    ...['uuid', 'wwid', 'model', 'serial', 'modalias'].map((name) => globTerm(textAt(selector, name), name)),
    'disk.transport != ""',
    kind,
    globTerm(textAt(selector, 'busPath'), 'bus_path'),
    '!disk.readonly',
    '!disk.cdrom',
  ];
  return { expression: joinTerms(terms.filter((term) => term !== '')) };
}

/** Joins as the real printer does: a line is broken behind the operator once it has reached 80 columns. */
function joinTerms(terms: readonly string[]): string {
  let text = '';
  let wrappedAt = 0;
  for (const term of terms) {
    if (text === '') {
      text = term;
      continue;
    }
    // The printer counts its internal operator name, which is four characters long.
    const wrap = text.length - wrappedAt + 4 >= 80;
    wrappedAt = wrap ? text.length : wrappedAt;
    text += wrap ? ` &&\n${term}` : ` && ${term}`;
  }
  return text;
}

function sizeTerm(condition: string): string {
  const match = /^(>=|<=|>|<|==)?(.*)$/.exec(condition.trim());
  const bytes = condition === '' ? '' : parseBytes((match?.[2] ?? '').trim());
  return typeof bytes === 'bigint' ? `disk.size ${match?.[1] ?? '=='} ${bytes}u` : '';
}

function globTerm(pattern: string, field: string): string {
  return pattern === '' ? '' : `glob(${goQuote(pattern)}, disk.${field})`;
}

function typeTerm(type: string): string | { readonly error: string } {
  switch (type) {
    case '':
      return '';
    case 'nvme':
      return 'disk.transport == "nvme"';
    case 'sd':
      return 'disk.transport == "mmc"';
    case 'hdd':
      return 'disk.rotational';
    case 'ssd':
      return '!disk.rotational';
    default:
      return { error: `unsupported disk type ${goQuote(type)}` };
  }
}
