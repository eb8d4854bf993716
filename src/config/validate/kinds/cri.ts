/** Registries, containerd and the checks of signatures (reference/network-config.md E.4). */
import { goQuote } from '../../../platform/text/quote.ts';
import { at, flagAt, listAt, objectAt, textAt, urlAt } from '../../view.ts';
import { nameProblem } from '../names.ts';
import { ociSpecProblem } from '../oci.ts';
import type { DocumentCheck } from '../report.ts';
import { all, named } from './common.ts';
import { checkPair, holdsCertificate } from './pem.ts';

export const checkRegistryAuth: DocumentCheck = all(named(), (value, report) => {
  const [hasUser, hasToken, hasAuth] = ['username', 'identityToken', 'auth'].map((key) => textAt(value, key) !== '');
  if (hasUser && hasToken) {
    report([], 'only one of username/password or identityToken authentication can be specified');
  }
  if (hasAuth && (hasUser || hasToken)) {
    report([], 'only one of auth, username/password or identityToken authentication can be specified');
  }
});

export const checkRegistryMirror: DocumentCheck = all(named(), (value, report) => {
  for (const [index, endpoint] of listAt(value, 'endpoints').entries()) {
    const url = urlAt(endpoint, 'url');
    if (url === undefined) {
      report(['endpoints', index, 'url'], `endpoints[${index}].url must be specified`);
    } else if (url.scheme !== 'http' && url.scheme !== 'https') {
      report(['endpoints', index, 'url'], `endpoints[${index}].url has unsupported scheme: ${goQuote(url.scheme)}`);
    }
  }
});

export const checkRegistryTls: DocumentCheck = all(named(), (value, report) => {
  const authority = textAt(value, 'ca');
  if (authority !== '' && !holdsCertificate(authority)) {
    report(['ca'], 'ca must be a valid PEM-encoded certificate');
  }
  checkPair(at(value, 'clientIdentity'), report, 'clientIdentity', 'client identity');
});

export const checkBaseRuntimeSpec: DocumentCheck = (value, report) => {
  const problem = ociSpecProblem(objectAt(value, 'overrides') ?? {});
  if (problem !== undefined) {
    report(['overrides'], `failed to unmarshal base runtime spec overrides: ${problem}`);
  }
};

/** The name under which the machine file of older configs goes. */
const LEGACY_PART = 'customization';

export const checkCriCustomization: DocumentCheck = (value, report) => {
  const name = textAt(value, 'name');
  const problem = nameProblem(name);
  if (problem !== undefined) {
    report(['name'], `invalid name: ${problem}`);
  }
  if (name === LEGACY_PART) {
    report(['name'], `name ${goQuote(name)} is reserved for the legacy CRI customization`);
  }
};

/** The words about `skip`, `deny` and patterns are ours: the source that is at hand has another form of the rule. */
export const checkImageVerification: DocumentCheck = (value, report) => {
  for (const [index, rule] of listAt(value, 'rules').entries()) {
    const refuse = (message: string): void => report(['rules', index], `rule ${index}: ${message}`);
    const pattern = textAt(rule, 'image');
    if (pattern === '') {
      refuse('image pattern must be specified');
    } else if (pattern.includes('@') || pattern.includes(':') || !pattern.includes('/')) {
      const advice = `rule ${index}: image pattern ${goQuote(pattern)} should be a repository without tag and digest`;
      report(['rules', index, 'image'], advice, 'warning');
    }
    const keyless = objectAt(rule, 'keyless');
    const publicKey = objectAt(rule, 'publicKey');
    const chosen = [flagAt(rule, 'skip') === true, flagAt(rule, 'deny') === true, keyless, publicKey];
    if (chosen.filter((choice) => choice !== undefined && choice !== false).length !== 1) {
      refuse('exactly one of skip, deny, keyless or publicKey must be specified');
    }
    if (keyless !== undefined && textAt(keyless, 'issuer') === '') {
      refuse('verifier OIDC issuer must be specified');
    }
    if (keyless !== undefined && textAt(keyless, 'subject') === '' && textAt(keyless, 'subjectRegex') === '') {
      refuse('verifier subject or subjectRegex must be specified');
    }
    if (publicKey !== undefined && textAt(publicKey, 'certificate') === '') {
      refuse('verifier certificates must be specified');
    }
  }
};
