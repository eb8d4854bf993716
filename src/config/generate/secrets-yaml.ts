/** `secrets.yaml`: the secrets bundle as a file (reference/network-config.md E.9). */

import { emitDocument } from '../encode/emit.ts';
import { plainOut } from '../encode/plain.ts';
import type { ConfigObject } from '../schema/types.ts';
import { deref, isNull, lookup, type YamlNode } from '../yaml/node.ts';
import { readYaml } from '../yaml/read.ts';
import { pemOfBase64, pemToBase64 } from './pem-text.ts';
import type { PemPair, SecretsBundle } from './secrets.ts';

export function secretsToYaml(bundle: SecretsBundle): string {
  const { cluster, secrets, trustdToken, certs } = bundle;
  const { aescbcEncryptionSecret, secretboxEncryptionSecret } = secrets;
  return emitDocument(
    plainOut({
      cluster: { id: cluster.id, secret: cluster.secret },
      secrets: {
        bootstraptoken: secrets.bootstrapToken,
        ...(aescbcEncryptionSecret !== '' && { aescbcencryptionsecret: aescbcEncryptionSecret }),
        ...(secretboxEncryptionSecret !== '' && { secretboxencryptionsecret: secretboxEncryptionSecret }),
      },
      trustdinfo: { token: trustdToken },
      certs: {
        etcd: pair(certs.etcd),
        k8s: pair(certs.k8s),
        k8saggregator: pair(certs.k8sAggregator),
        k8sserviceaccount: { key: pemToBase64(certs.k8sServiceAccountKey) },
        os: pair(certs.os),
      },
    }),
  );
}

function pair(pem: PemPair): ConfigObject {
  return { crt: pemToBase64(pem.crt), key: pemToBase64(pem.key) };
}

/** Reads a bundle; what is missing stays empty, keys that are not known are ignored. Otherwise the complaint. */
export function secretsOfYaml(source: string): SecretsBundle | { readonly error: string } {
  const stream = readYaml(source);
  const problem = stream.problems[0];
  if (problem !== undefined) {
    return { error: `yaml: line ${stream.lines.at(problem.offset).line}: ${problem.message}` };
  }
  const root = stream.documents[0]?.root;
  if (root === undefined) return { error: 'EOF' };
  const reader = new BundleReader(root);
  const bundle = reader.bundle();
  return reader.error === '' ? bundle : { error: reader.error };
}

class BundleReader {
  error = '';
  readonly #root: YamlNode;

  constructor(root: YamlNode) {
    this.#root = root;
  }

  bundle(): SecretsBundle {
    return {
      cluster: { id: this.#text('cluster', 'id'), secret: this.#text('cluster', 'secret') },
      secrets: {
        bootstrapToken: this.#text('secrets', 'bootstraptoken'),
        aescbcEncryptionSecret: this.#text('secrets', 'aescbcencryptionsecret'),
        secretboxEncryptionSecret: this.#text('secrets', 'secretboxencryptionsecret'),
      },
      trustdToken: this.#text('trustdinfo', 'token'),
      certs: {
        etcd: this.#pair('etcd'),
        k8s: this.#pair('k8s'),
        k8sAggregator: this.#pair('k8saggregator'),
        k8sServiceAccountKey: this.#pem('certs', 'k8sserviceaccount', 'key'),
        os: this.#pair('os'),
      },
    };
  }

  #pair(name: string): PemPair {
    return { crt: this.#pem('certs', name, 'crt'), key: this.#pem('certs', name, 'key') };
  }

  #pem(...path: string[]): string {
    const encoded = this.#text(...path);
    const pem = pemOfBase64(encoded);
    if (pem === null) this.error ||= `${path.join('.')}: illegal base64 data`;
    return pem ?? '';
  }

  #text(...path: string[]): string {
    let node: YamlNode | undefined = this.#root;
    for (const key of path) node = node === undefined ? undefined : lookup(node, key);
    if (node === undefined || isNull(node)) return '';
    const target = deref(node);
    if (target.kind === 'scalar') return target.text;
    this.error ||= `${path.join('.')}: a text is expected`;
    return '';
  }
}
