import { parse } from 'yaml';
import { etcdctlProblem, etcdctl as runEtcdctl } from '../../etcd/ctl/etcdctl.ts';
import { decodeBase64 } from '../../platform/base64.ts';
import { utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { CryptoError, keyPairFromPem } from '../../platform/crypto.ts';
import type { Task } from '../../platform/task.ts';
import { readTalosconfig, talosconfigPath } from '../talosctl/talosconfig.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';

const VERSION = '3.6.5';
const CERTIFICATE_HOURS = 24;

/**
 * etcdctl on the operator's workstation. Where the real tool would need to be told, it helps itself: endpoints are those of
 * the current talosconfig context, certificates are issued from the etcd authority in `controlplane.yaml`
 * (docs/fidelity.md). Flags and ETCDCTL_ variables go first.
 */
export const etcdctl: Tool = {
  name: 'etcdctl',
  problem: (words) => {
    const problem = etcdctlProblem(words);
    return problem === undefined ? undefined : `etcdctl: ${problem.split('\n', 1)[0]}`;
  },
  run,
};

function* run(words: readonly string[], context: ToolContext): Task<number> {
  const helpers = helperFiles(context);
  return yield* runEtcdctl(words, {
    ports: context.platform,
    env: { ...helpers.env, ...Object.fromEntries(context.env) },
    readFile: (path) => {
      const text = helpers.files[path] ?? context.files.readText(path);
      return text === undefined ? context.files.readBytes(path) : utf8Encode(text);
    },
    writeFile: (path, content) => context.files.write(path, content),
    stdin: context.stdin,
    out: context.out,
    err: context.err,
    linger: context.linger,
    version: VERSION,
  });
}

interface Helpers {
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

const NO_HELP: Helpers = Object.freeze({ env: {}, files: {} });

/** Endpoints and a client certificate for an operator who has only the files of `gen config`. */
function helperFiles(context: ToolContext): Helpers {
  const path = talosconfigPath('', context);
  const talosconfig = readTalosconfig(context.files.readText(path), path);
  const endpoints = typeof talosconfig === 'string' ? [] : (talosconfig.contexts[talosconfig.context]?.endpoints ?? []);
  const env: Record<string, string> =
    endpoints.length === 0
      ? {}
      : { ETCDCTL_ENDPOINTS: endpoints.map((address) => `https://${address}:2379`).join(',') };
  const authority = authorityOf(context.files.readText('controlplane.yaml'));
  if (authority === undefined) return { ...NO_HELP, env };
  const { crypto, clock } = context.platform;
  try {
    const signer = keyPairFromPem(crypto, authority.crt, authority.key);
    const key = crypto.generateKey('ed25519');
    const nowSec = Math.floor(clock.nowUs() / 1_000_000);
    const certificate = crypto.issueCertificate({
      subject: { commonName: 'operator' },
      notBeforeSec: nowSec - 60,
      notAfterSec: nowSec + CERTIFICATE_HOURS * 3600,
      keyUsages: ['digital-signature', 'key-encipherment'],
      extendedKeyUsages: ['client-auth'],
      publicKey: key.publicKey,
      signer,
    });
    const files = {
      '/etcd/ca.crt': authority.crt,
      '/etcd/client.crt': crypto.certificateToPem(certificate),
      '/etcd/client.key': crypto.privateKeyToPem(key),
    };
    return {
      env: {
        ...env,
        ETCDCTL_CACERT: '/etcd/ca.crt',
        ETCDCTL_CERT: '/etcd/client.crt',
        ETCDCTL_KEY: '/etcd/client.key',
      },
      files,
    };
  } catch (error) {
    if (error instanceof CryptoError) return { ...NO_HELP, env };
    throw error;
  }
}

/** The etcd authority of a control plane's machine config. */
function authorityOf(text: string | undefined): { crt: string; key: string } | undefined {
  if (text === undefined) return undefined;
  try {
    const config = parse(text) as { cluster?: { etcd?: { ca?: { crt?: string; key?: string } } } } | null;
    const ca = config?.cluster?.etcd?.ca;
    const crt = decodeBase64(ca?.crt ?? '');
    const key = decodeBase64(ca?.key ?? '');
    return crt === null || key === null || crt.length === 0
      ? undefined
      : { crt: utf8Decode(crt), key: utf8Decode(key) };
  } catch {
    return undefined;
  }
}
