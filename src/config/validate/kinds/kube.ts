/** Kubernetes components and what they are told (reference/network-config.md E.4 "Kubernetes"). */
import { compareText } from '../../../platform/bytes.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { isApiRole, NEWER_API_ROLES } from '../../roles.ts';
import type { ConfigObject } from '../../schema/types.ts';
import { endpointProblem } from '../../text/url.ts';
import { at, flagAt, keysAt, numberAt, objectAt, stringsAt, textAt, textMapAt, urlAt } from '../../view.ts';
import { authorizerTypeProblem, checkSubnets, resourceProblem } from '../cluster.ts';
import { multiError } from '../findings.ts';
import { annotationProblems, domainProblem, labelProblems, taintProblems } from '../names.ts';
import type { DocumentCheck, Report } from '../report.ts';
import { checkKubeletFields } from '../sections.ts';
import { all, isSet, MAX_PORT, named, needs } from './common.ts';
import { checkAcceptedCas, checkPair, pemProblem } from './pem.ts';

const resources: DocumentCheck = (value, report) => {
  const problem = resourceProblem(objectAt(value, 'resources'));
  if (problem !== undefined) {
    report(['resources'], problem);
  }
};

const imageSet = (shown: string): DocumentCheck => needs(['image'], `${shown} image cannot be empty`);

/** Nothing of a component that is switched off is looked at. */
const unlessDisabled = (check: DocumentCheck): DocumentCheck => {
  return (value, report, minor) => {
    if (flagAt(value, 'enabled') !== false) {
      check(value, report, minor);
    }
  };
};

/** Arguments that have a document of their own, by prefix. */
const DENIED_ARGUMENTS: readonly (readonly [prefix: string, instead: string])[] = Object.freeze([
  ['anonymous-auth', 'KubeAuthenticationConfig'],
  ['authentication-config', 'KubeAuthenticationConfig'],
  ['authorization-config', 'KubeAuthorizationConfig'],
  ['authorization-mode', 'KubeAuthorizationConfig'],
  ['authorization-webhook-', 'KubeAuthorizationConfig'],
  ['oidc-', 'KubeAuthenticationConfig'],
]);

const deniedArguments: DocumentCheck = (value, report) => {
  const names = keysAt(value, 'extraArgs').toSorted(compareText);
  for (const [prefix, instead] of DENIED_ARGUMENTS) {
    for (const name of names.filter((candidate) => candidate.startsWith(prefix))) {
      report(['extraArgs', name], `kube-apiserver extra argument ${goQuote(name)} is not allowed: use ${instead}`);
    }
  }
};

export const checkApiServer = all(imageSet('kube-apiserver'), deniedArguments, resources);
export const checkControllerManager = unlessDisabled(all(imageSet('kube-controller-manager'), resources));
export const checkScheduler = unlessDisabled(all(imageSet('scheduler'), resources));
export const checkFlannel = all(needs(['backendType'], 'flannel backend type must be specified'), resources);

export const checkProxy = unlessDisabled(
  all(
    imageSet('proxy'),
    (value, report) => {
      const mode = textAt(value, 'mode');
      const quoted = goQuote(mode);
      if (mode === 'iptables' || mode === 'ipvs') {
        const advice = `proxy mode ${quoted} is not recommended, please switch to nftables if possible`;
        report(['mode'], advice, 'warning');
      } else if (mode !== '' && mode !== 'nftables') {
        report(['mode'], `invalid proxy mode ${quoted}: supported modes are iptables, ipvs and nftables`);
      }
      if (keysAt(value, 'extraArgs').length > 0) {
        const advice = 'extra arguments for kube-proxy may not work as expected, please use configuration instead';
        report(['extraArgs'], advice, 'warning');
      }
    },
    resources,
  ),
);

export const checkKubelet: DocumentCheck = all(imageSet('kubelet'), (value, report) =>
  checkKubeletFields({ error: report }, ['config'], objectAt(value, 'config')),
);

export const checkCluster: DocumentCheck = all(
  needs(['clusterName'], 'clusterName must be specified'),
  needs(['endpoint'], 'endpoint must be specified'),
  (value, report) => {
    const endpoint = textAt(value, 'endpoint');
    const problem = endpoint === '' ? undefined : endpointProblem(endpoint);
    if (problem !== undefined) {
      report(['endpoint'], `cluster endpoint is invalid: ${problem}`);
    }
  },
);

export const checkNode: DocumentCheck = (value, report) => {
  const path = ['nodeIP', 'validSubnets'];
  checkSubnets({ error: report }, path, stringsAt(value, ...path), 'nodeIP subnet is not valid');
  for (const [field, problems] of [
    ['labels', labelProblems(textMapAt(value, 'labels'))],
    ['annotations', annotationProblems(textMapAt(value, 'annotations'))],
    ['taints', taintProblems(textMapAt(value, 'taints'))],
  ] as const) {
    if (problems.length > 0) {
      report([field], `invalid node ${field}: ${multiError(problems)}`);
    }
  }
};

export const checkPrism: DocumentCheck = (value, report) => {
  const port = numberAt(value, 'port');
  if (port <= 0 || port > MAX_PORT) {
    report(['port'], `invalid port ${port}: must be in range 1-${MAX_PORT}`);
  }
};

export const checkApiServerCa: DocumentCheck = (value, report) => {
  checkPair(at(value, 'issuingCA'), report, 'issuingCA', 'issuing CA');
  checkAcceptedCas(value, report);
};

export const checkAggregatorCa: DocumentCheck = (value, report) => {
  if (!isSet(value, 'issuingCA')) {
    report(['issuingCA'], 'issuing CA is not set');
  }
  checkPair(at(value, 'issuingCA'), report, 'issuingCA', 'issuing CA');
  checkAcceptedCas(value, report);
};

export const checkAuthorizer: DocumentCheck = all(named('authorizer name is required'), (value, report) => {
  const type = textAt(value, 'type');
  const hasWebhook = keysAt(value, 'webhook').length > 0;
  if (type === '') {
    report(['type'], 'authorizer type is required');
  }
  const problem = authorizerTypeProblem(type);
  if (problem !== undefined) {
    report(['type'], problem);
  }
  if (type === 'Webhook' && !hasWebhook) {
    report(['webhook'], 'authorizer webhook configuration is required for Webhook authorizer type');
  }
  if (type !== 'Webhook' && hasWebhook) {
    const message = 'authorizer webhook configuration is not allowed non-Webhook authorizer types';
    report(['webhook'], message, 'warning');
  }
});

export const checkServiceAccount: DocumentCheck = (value, report) => {
  const key = textAt(value, 'issuer', 'privateKey');
  if (key === '') {
    report(['issuer', 'privateKey'], 'service issuer private key is required');
  } else if (pemProblem(key) !== undefined) {
    report(['issuer', 'privateKey'], 'service issuer private key is invalid: failed to parse PEM block');
  }
  if (textAt(value, 'issuer', 'issuerURL') === '') {
    report(['issuer', 'issuerURL'], 'service issuer URL is required');
  }
};

export const checkEtcdEncryption: DocumentCheck = (value, report) => {
  if (keysAt(value, 'config').length === 0) {
    report(['config'], 'etcd encryption config is required');
  }
};

export const checkApiAccess: DocumentCheck = (value, report) => {
  for (const [index, role] of stringsAt(value, 'allowedRoles').entries()) {
    if (!isApiRole(role) && !NEWER_API_ROLES.includes(role)) {
      report(['allowedRoles', index], `invalid role ${goQuote(role)} in .allowedRoles`);
    }
  }
};

/** A name that is a DNS subdomain; `shown` is what has it. */
function dnsNamed(value: ConfigObject, report: Report, shown: string): void {
  const name = textAt(value, 'name');
  const problem = name === '' ? undefined : domainProblem(name);
  if (name === '') {
    report(['name'], `${shown} name is required`);
  } else if (problem !== undefined) {
    report(['name'], `${shown} name is invalid: ${problem}`);
  }
}

export const checkStaticPod: DocumentCheck = (value, report) => {
  dnsNamed(value, report, 'static pod');
  if (keysAt(value, 'pod').length === 0) {
    report(['pod'], 'static pod spec is required');
  }
};

export const checkInlineManifest: DocumentCheck = (value, report) => dnsNamed(value, report, 'manifest');

export const checkExternalManifest: DocumentCheck = (value, report) => {
  dnsNamed(value, report, 'manifest');
  const url = urlAt(value, 'url');
  if (url === undefined) {
    report(['url'], 'manifest URL is required');
  } else if (url.scheme !== 'http' && url.scheme !== 'https') {
    report(['url'], `manifest URL scheme must be http or https: ${goQuote(url.scheme)}`);
  }
};
