import { flag } from '../../cobra/flags.ts';

/** Asks the maintenance service, which knows no certificates. */
export const INSECURE = flag(
  'insecure',
  'bool',
  false,
  'use the insecure (encrypted with no auth) maintenance service',
  { short: 'i' },
);
