/** Discovery, files, kernel, memory and installation (reference/network-config.md E.4). */
import { goQuote } from '../../../platform/text/quote.ts';
import { urlHostname } from '../../../platform/text/url.ts';
import { diskEnv } from '../../cel/env.ts';
import { base64Problem, base64SizeBytes } from '../../text/base64.ts';
import { keysAt, objectAt, textAt, urlAt } from '../../view.ts';
import type { DocumentCheck } from '../report.ts';
import { checkSelector, durationNotNegative, named } from './common.ts';

const SCHEMES: readonly string[] = Object.freeze(['http', 'https', 'grpc']);

/** Stops at the first problem, as the real check does. */
export const checkDiscoveryService: DocumentCheck = (value, report) => {
  if (textAt(value, 'name') === '') return report(['name'], 'name is required');
  const url = urlAt(value, 'endpoint');
  const refuse = (message: string): void => report(['endpoint'], message);
  if (url === undefined) return refuse('endpoint is required');
  if (url.scheme === '') return refuse('endpoint scheme is required');
  if (!SCHEMES.includes(url.scheme)) return refuse('endpoint scheme must be http://, https:// or grpc://');
  if (urlHostname(url) === '') refuse('endpoint host is required');
};

const SECRET_SIZE_BYTES = 32;

export const checkDiscoveryIdentity: DocumentCheck = (value, report) => {
  if (textAt(value, 'clusterID') === '') return report(['clusterID'], 'clusterID is required');
  const secret = textAt(value, 'clusterSecret');
  if (secret === '') return report(['clusterSecret'], 'clusterSecret is required');
  const problem = base64Problem(secret);
  const size = base64SizeBytes(secret);
  if (problem !== undefined) {
    const message = `invalid clusterSecret: failed to decode from base64: ${secret}; ${problem}`;
    report(['clusterSecret'], message);
  } else if (size !== SECRET_SIZE_BYTES) {
    const message = `invalid clusterSecret: expected ${SECRET_SIZE_BYTES} bytes, got ${size}: ${secret}`;
    report(['clusterSecret'], message);
  }
};

export const checkEnvironment: DocumentCheck = (value, report) => {
  for (const name of keysAt(value, 'variables')) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      report(['variables', name], `invalid environment variable name: ${goQuote(name)}`);
    }
  }
};

const MANAGED_FILES: readonly string[] = Object.freeze([
  'resolv.conf',
  'hosts',
  'machine-id',
  'extensions.yaml',
  'localtime',
  'os-release',
  'xattr.conf',
]);

const MANAGED_TREES: readonly string[] = Object.freeze([
  'apparmor.d',
  'apparmor',
  'ca-certificates',
  'cni',
  'cri',
  'iscsi',
  'kubernetes',
  'lvm',
  'nvme',
  'pki',
  'selinux',
  'ssl',
]);

/** A relative path that never leaves its directory. */
function isLocalPath(path: string): boolean {
  let depth = 0;
  for (const part of path.split('/')) {
    depth += part === '..' ? -1 : part === '' || part === '.' ? 0 : 1;
    if (depth < 0) return false;
  }
  return !path.startsWith('/') && !path.startsWith('.');
}

export const checkEtcFile: DocumentCheck = (value, report) => {
  const name = textAt(value, 'name');
  const isManaged = MANAGED_FILES.includes(name) || MANAGED_TREES.includes(name.split('/')[0]!);
  if (name === '') {
    report(['name'], 'user etc file name cannot be empty');
  } else if (!isLocalPath(name)) {
    report(['name'], `user etc file ${goQuote(name)} must be a local path`);
  } else if (isManaged) {
    report(['name'], `user etc file ${goQuote(name)} is managed by Talos`);
  }
};

export const checkKernelModule: DocumentCheck = named('name is required');

/** Expressions are not compiled: their types go beyond what selectors of disks need. */
export const checkOom: DocumentCheck = (value, report) =>
  durationNotNegative(value, report, ['sampleInterval'], () => 'OOM sample interval must be longer than 0');

/** No key of a map of kernel parameters is empty. */
export const keysSet = (message: string): DocumentCheck => {
  return (value, report) => {
    if (Object.hasOwn(objectAt(value, 'params') ?? {}, '')) {
      report(['params'], message);
    }
  };
};

const NO_IMAGE =
  'installer.image is not set, if Talos is not booted from asset built by Image Factory, installation will fail';

export const checkUnattendedInstall: DocumentCheck = (value, report) => {
  if (textAt(value, 'installer', 'image') === '') {
    report(['installer', 'image'], NO_IMAGE, 'warning');
  }
  const path = ['provisioning', 'diskSelector', 'match'];
  const shown = path.join('.');
  checkSelector(value, report, path, { env: diskEnv, missing: `${shown} is required`, invalid: shown });
};
