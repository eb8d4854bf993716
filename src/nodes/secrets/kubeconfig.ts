import { encodeBase64 } from '../../platform/base64.ts';
import { utf8Encode } from '../../platform/bytes.ts';
import type { CertificateAndKey } from '../config/settings.ts';

export interface KubeconfigParts {
  readonly cluster: string;
  readonly user: string;
  readonly context: string;
  readonly namespace?: string;
  readonly server: string;
  readonly caPem: string;
  readonly client: CertificateAndKey | { readonly token: string };
}

/** A kubeconfig with one context, laid out as Talos renders it. */
export function renderKubeconfig(parts: KubeconfigParts): string {
  const credentials =
    'token' in parts.client
      ? [`    token: ${parts.client.token}`]
      : [
          `    client-certificate-data: ${base64(parts.client.crt)}`,
          `    client-key-data: ${base64(parts.client.key)}`,
        ];
  const namespace = parts.namespace === undefined ? [] : [`    namespace: ${parts.namespace}`];
  return `${[
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${parts.cluster}`,
    '  cluster:',
    `    server: ${parts.server}`,
    `    certificate-authority-data: ${base64(parts.caPem)}`,
    'users:',
    `- name: ${parts.user}`,
    '  user:',
    ...credentials,
    'contexts:',
    '- context:',
    `    cluster: ${parts.cluster}`,
    ...namespace,
    `    user: ${parts.user}`,
    `  name: ${parts.context}`,
    `current-context: ${parts.context}`,
  ].join('\n')}\n`;
}

function base64(text: string): string {
  return encodeBase64(utf8Encode(text));
}
