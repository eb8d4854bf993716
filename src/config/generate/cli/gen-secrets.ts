/** `gen secrets` (reference/lifecycle-api-cli.md F.2, F.4; v1.11.3.md 11.6). */

import { CryptoError, keyPairFromPem, privateKeyFromPem } from '../../../platform/crypto.ts';
import { goQuote } from '../../../platform/text/quote.ts';
import { loadConfigSet } from '../../patch/config-set.ts';
import { PatchError } from '../../patch/error.ts';
import { type GivenSecrets, generateSecrets, type PemPair, type SecretsBundle } from '../secrets.ts';
import { secretsOfConfig } from '../secrets-import.ts';
import { secretsToYaml } from '../secrets-yaml.ts';
import {
  CommandError,
  type CommandOutcome,
  contractOf,
  joinPath,
  readFile,
  runCommand,
  type Workstation,
} from './workstation.ts';

export interface GenSecretsOptions {
  /** `--output-file`, default `secrets.yaml`; `-` is standard output, up to v1.11 a file of that name. */
  readonly outputFile?: string;
  /** `--talos-version`. */
  readonly talosVersion?: string;
  /** `--from-controlplane-config`. */
  readonly fromControlplaneConfig?: string;
  /** `--from-kubernetes-pki`: a directory such as /etc/kubernetes/pki. */
  readonly fromKubernetesPki?: string;
  /** `--kubernetes-bootstrap-token`. */
  readonly kubernetesBootstrapToken?: string;
  /** `--force` of `gen`. */
  readonly force?: boolean;
}

/** Runs the command; silent when all goes well. */
export function runGenSecrets(options: GenSecretsOptions, workstation: Workstation): CommandOutcome {
  return runCommand((output) => {
    const text = secretsToYaml(bundleFor(options, workstation));
    const path = options.outputFile ?? 'secrets.yaml';
    if (path === '-' && workstation.tool.minor >= 12) {
      output.stdout += text;
      return;
    }
    if (options.force !== true && workstation.files.exists(path)) {
      throw new CommandError(`file ${goQuote(path)} already exists, use --force to overwrite`);
    }
    output.files.push({ path, content: text, mode: 0o600 });
  });
}

function bundleFor(options: GenSecretsOptions, workstation: Workstation): SecretsBundle {
  const contract = contractOf(options.talosVersion, workstation);
  const request = { crypto: workstation.crypto, nowSec: workstation.nowSec, contract };
  const pki = options.fromKubernetesPki ?? '';
  if (pki !== '') {
    const token = options.kubernetesBootstrapToken ?? '';
    return generateSecrets(request, { ...readKubernetesPki(pki, workstation), bootstrapToken: token });
  }
  const config = options.fromControlplaneConfig ?? '';
  return config === '' ? generateSecrets(request) : importConfig(config, workstation);
}

function importConfig(path: string, workstation: Workstation): SecretsBundle {
  try {
    const text = readFile(workstation.files, path);
    return secretsOfConfig(loadConfigSet(text, { minor: workstation.tool.minor, file: path }));
  } catch (error) {
    if (error instanceof PatchError || error instanceof CommandError) {
      throw new CommandError(`failed to load controlplane config: ${error.message}`);
    }
    throw error;
  }
}

/** The authorities and the service-account key of a kubeadm cluster. */
function readKubernetesPki(directory: string, workstation: Workstation): Omit<GivenSecrets, 'bootstrapToken'> {
  const { crypto, files } = workstation;
  const read = (...names: string[]): string => readFile(files, joinPath(directory, ...names));
  try {
    const pair = (...path: string[]): PemPair => {
      const [crt, key] = [read(`${path.join('/')}.crt`), read(`${path.join('/')}.key`)];
      keyPairFromPem(crypto, crt, key);
      return { crt, key };
    };
    const given = { k8s: pair('ca'), etcd: pair('etcd', 'ca'), k8sAggregator: pair('front-proxy-ca') };
    const k8sServiceAccountKey = read('sa.key');
    privateKeyFromPem(crypto, k8sServiceAccountKey);
    return { ...given, k8sServiceAccountKey };
  } catch (error) {
    if (error instanceof CryptoError || error instanceof CommandError) {
      throw new CommandError(`failed to create secrets bundle: ${error.message}`);
    }
    throw error;
  }
}
