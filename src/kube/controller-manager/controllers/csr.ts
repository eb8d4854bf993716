import { decodeBase64, encodeBase64 } from '../../../platform/base64.ts';
import { utf8Decode, utf8Encode } from '../../../platform/bytes.ts';
import { CryptoError, type SigningRequest } from '../../../platform/crypto.ts';
import { rfc3339 } from '../../../platform/rfc3339.ts';
import type { Task } from '../../../platform/task.ts';
import { onChange } from '../../component/loop.ts';
import type { Condition } from '../../objects/conditions.ts';
import type { KubeObject } from '../../objects/object.ts';
import { findResource } from '../../objects/resources.ts';
import type { ControllerContext } from '../context.ts';

export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const TYPE = findResource('certificates.k8s.io/v1', 'certificatesigningrequests')!;
const PERIOD_US = 60_000_000;
/** --cluster-signing-duration, default one year; the certificate starts five minutes early. */
const DURATION_SEC = 31_536_000;
const BACKDATE_SEC = 300;
const BOOTSTRAP_GROUP = 'system:bootstrappers:nodes';

interface RequestSpec {
  readonly request: string;
  readonly signerName: string;
  readonly username: string;
  readonly groups: readonly string[];
}

interface RequestStatus {
  readonly conditions?: readonly Condition[];
  readonly certificate?: string;
}

/** Approves and signs client certificates that kubelets ask for: csrapproving and csrsigning. */
export function* signKubeletCertificates(context: ControllerContext): Task<never> {
  return yield* onChange(context.platform.clock, [context.requests.changed], PERIOD_US, function* () {
    for (const request of context.requests.items()) yield* handle(context, request);
  });
}

function* handle(context: ControllerContext, object: KubeObject): Task<void> {
  const spec = object.spec as RequestSpec;
  const status = (object.status ?? {}) as RequestStatus;
  if (spec.signerName !== KUBELET_CLIENT_SIGNER || (status.certificate ?? '') !== '') return;
  const parsed = parseRequest(context, spec.request);
  if (parsed === undefined || !isNodeRequest(parsed)) return;
  const approved = (status.conditions ?? []).some((condition) => condition.type === 'Approved');
  if (!approved && !mayAsk(spec, parsed)) return;
  const conditions = approved ? status.conditions! : [approval(context, spec)];
  const certificate = encodeBase64(utf8Encode(sign(context, parsed)));
  yield* context.client.update(TYPE, { ...object, status: { ...status, conditions, certificate } }, 'status');
}

function parseRequest(context: ControllerContext, base64: string): SigningRequest | undefined {
  const bytes = decodeBase64(base64);
  if (bytes === null) return undefined;
  try {
    const item = context.platform.crypto
      .parsePem(utf8Decode(bytes))
      .find((candidate) => candidate.type === 'signing-request');
    return item?.type === 'signing-request' ? item.request : undefined;
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

/** CN system:node:NAME in organization system:nodes, without other names. */
function isNodeRequest({ subject, dnsNames, ipAddresses }: SigningRequest): boolean {
  return (
    subject.commonName.startsWith('system:node:') &&
    subject.organizations.join() === 'system:nodes' &&
    dnsNames.length + ipAddresses.length === 0
  );
}

/** A bootstrap token may ask for any node, a node only for itself: what Talos's two approver bindings allow. */
function mayAsk(spec: RequestSpec, { subject }: SigningRequest): boolean {
  return (
    spec.groups.includes(BOOTSTRAP_GROUP) ||
    (spec.groups.includes('system:nodes') && spec.username === subject.commonName)
  );
}

function approval(context: ControllerContext, spec: RequestSpec): Condition {
  const self = !spec.groups.includes(BOOTSTRAP_GROUP);
  return {
    type: 'Approved',
    status: 'True',
    reason: 'AutoApproved',
    message: `Auto approving ${self ? 'self ' : ''}kubelet client certificate after SubjectAccessReview.`,
    lastTransitionTime: rfc3339(context.platform.clock.nowUs()),
  };
}

function sign(context: ControllerContext, request: SigningRequest): string {
  const { clock, crypto } = context.platform;
  const nowSec = Math.floor(clock.nowUs() / 1_000_000);
  const certificate = crypto.issueCertificate({
    subject: { commonName: request.subject.commonName, organizations: request.subject.organizations },
    notBeforeSec: nowSec - BACKDATE_SEC,
    notAfterSec: nowSec + DURATION_SEC,
    keyUsages: ['digital-signature', 'key-encipherment'],
    extendedKeyUsages: ['client-auth'],
    publicKey: request.publicKey,
    signer: context.authority,
  });
  return crypto.certificateToPem(certificate);
}
