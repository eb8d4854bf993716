import type { ApiServerConfigSpec } from '../resources/k8s-control-plane.ts';
import { type Arguments, additive, denied, mergeArguments, renderArguments } from './arguments.ts';
import { AUDIT_LOG, APISERVER_CONFIG as CA, APISERVER_SECRETS as SA } from './paths.ts';

const CIPHERS = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_RSA_WITH_AES_128_GCM_SHA256',
].join(',');

const POLICIES = Object.freeze({
  ...additive('enable-admission-plugins', 'feature-gates', 'authorization-mode', 'tls-cipher-suites'),
  ...denied(
    'etcd-servers',
    'client-ca-file',
    'requestheader-client-ca-file',
    'proxy-client-cert-file',
    'proxy-client-key-file',
    'encryption-provider-config',
    'etcd-cafile',
    'etcd-certfile',
    'etcd-keyfile',
    'kubelet-client-certificate',
    'kubelet-client-key',
    'service-account-key-file',
    'service-account-signing-key-file',
    'tls-cert-file',
    'tls-private-key-file',
    'authorization-config',
  ),
});

/** Command line of kube-apiserver (reference/v1.11.3.md 8.2, 17.2). */
export function apiServerCommand(config: ApiServerConfigSpec): readonly string[] {
  const merged = mergeArguments(baseArguments(config), config.extraArgs, POLICIES);
  return ['/usr/local/bin/kube-apiserver', ...renderArguments(merged)];
}

function baseArguments(config: ApiServerConfigSpec): Arguments {
  const ownAuthorization = Object.keys(config.extraArgs).some(
    (key) => key === 'authorization-mode' || key.startsWith('authorization-webhook-'),
  );
  const plugins = ['NodeRestriction', ...(config.podSecurityPolicyEnabled ? ['PodSecurityPolicy'] : [])];
  return {
    'admission-control-config-file': `${CA}/admission-control-config.yaml`,
    ...(config.advertisedAddress === '' ? {} : { 'advertise-address': config.advertisedAddress }),
    'allow-privileged': 'true',
    'anonymous-auth': 'false',
    'api-audiences': config.controlPlaneEndpoint,
    'audit-log-maxage': '30',
    'audit-log-maxbackup': '10',
    'audit-log-maxsize': '100',
    'audit-log-path': `${AUDIT_LOG}/kube-apiserver.log`,
    'audit-policy-file': `${CA}/auditpolicy.yaml`,
    ...(ownAuthorization
      ? { 'authorization-mode': 'Node,RBAC' }
      : { 'authorization-config': `${CA}/authorization-config.yaml` }),
    'bind-address': '0.0.0.0',
    'client-ca-file': `${SA}/ca.crt`,
    'enable-admission-plugins': plugins.join(','),
    'enable-bootstrap-token-auth': 'true',
    'encryption-provider-config': `${SA}/encryptionconfig.yaml`,
    'etcd-cafile': `${SA}/etcd-client-ca.crt`,
    'etcd-certfile': `${SA}/etcd-client.crt`,
    'etcd-keyfile': `${SA}/etcd-client.key`,
    'etcd-servers': config.etcdServers.join(','),
    'kubelet-client-certificate': `${SA}/apiserver-kubelet-client.crt`,
    'kubelet-client-key': `${SA}/apiserver-kubelet-client.key`,
    'kubelet-preferred-address-types': 'InternalIP,ExternalIP,Hostname',
    profiling: 'false',
    'proxy-client-cert-file': `${SA}/front-proxy-client.crt`,
    'proxy-client-key-file': `${SA}/front-proxy-client.key`,
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-client-ca-file': `${SA}/aggregator-ca.crt`,
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'secure-port': String(config.localPort),
    'service-account-issuer': config.controlPlaneEndpoint,
    'service-account-key-file': `${SA}/service-account.pub`,
    'service-account-signing-key-file': `${SA}/service-account.key`,
    'service-cluster-ip-range': config.serviceCIDRs.join(','),
    'tls-cert-file': `${SA}/apiserver.crt`,
    'tls-cipher-suites': CIPHERS,
    'tls-min-version': 'VersionTLS12',
    'tls-private-key-file': `${SA}/apiserver.key`,
  };
}
