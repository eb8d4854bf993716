/** Pod and service networks of a cluster (reference/network-config.md E.4 "Kubernetes"). */
import { isMasked, type Prefix, parsePrefix } from '../../text/ip.ts';
import { numberAt, stringsAt } from '../../view.ts';
import type { DocumentCheck } from '../report.ts';

const MIN_HOST_BITS = 4;
const MAX_SERVICE_HOST_BITS = 20;
/** Bits between a pod network and what one node gets of it. */
const MAX_NODE_BITS = 16;

interface Family {
  readonly key: string;
  readonly defaultMask: number;
  readonly bits: number;
}

const V4: Family = Object.freeze({ key: 'nodeCIDRMaskSizeIPv4', defaultMask: 24, bits: 32 });
const V6: Family = Object.freeze({ key: 'nodeCIDRMaskSizeIPv6', defaultMask: 64, bits: 128 });

type SizeRule = (prefix: Prefix, text: string) => string | undefined;

export const checkNetworks: DocumentCheck = (value, report) => {
  const maskOf = ({ key, bits, defaultMask }: Family): number | undefined => {
    const mask = numberAt(value, key);
    return mask === 0 ? defaultMask : mask >= 1 && mask <= bits ? mask : undefined;
  };
  for (const family of [V4, V6]) {
    if (maskOf(family) === undefined) {
      report([family.key], `${family.key} must be between 1 and ${family.bits}`);
    }
  }
  const pods = stringsAt(value, 'podSubnets');
  const services = stringsAt(value, 'serviceSubnets');
  const podProblem = listProblem(pods, (prefix, text) => podSizeProblem(prefix, text, maskOf(familyOf(prefix))));
  if (podProblem !== undefined) {
    report(['podSubnets'], `pod subnets: ${podProblem}`);
  }
  const serviceProblem = listProblem(services, serviceSizeProblem);
  if (serviceProblem !== undefined) {
    report(['serviceSubnets'], `service subnets: ${serviceProblem}`);
  }
  if (pods.length !== services.length) {
    report(['serviceSubnets'], 'the number of pod subnets must match the number of service subnets');
  }
};

function familyOf(prefix: Prefix): Family {
  return prefix.address.length === 4 ? V4 : V6;
}

/** The first thing wrong with a list of networks. */
function listProblem(texts: readonly string[], sizeRule: SizeRule): string | undefined {
  if (texts.length === 0) return 'at least one subnet must be specified';
  if (texts.length > 2) return 'at most two subnets can be specified for dual-stack clusters';
  const families: Family[] = [];
  for (const text of texts) {
    const prefix = parsePrefix(text);
    if (prefix === undefined) return 'invalid subnet: invalid Prefix';
    const problem = subnetProblem(prefix, text) ?? sizeRule(prefix, text);
    if (problem !== undefined) return problem;
    families.push(familyOf(prefix));
  }
  return new Set(families).size < families.length
    ? 'at most one IPv4 and one IPv6 subnet can be specified for dual-stack clusters'
    : undefined;
}

function subnetProblem(prefix: Prefix, text: string): string | undefined {
  if (!isMasked(prefix)) return `invalid subnet: ${text} is not a valid CIDR`;
  const hostBits = prefix.address.length * 8 - prefix.bits;
  return hostBits < MIN_HOST_BITS
    ? `invalid subnet: /${prefix.bits} is too small, it must be larger than /${prefix.bits - MIN_HOST_BITS}`
    : undefined;
}

function podSizeProblem(prefix: Prefix, text: string, mask: number | undefined): string | undefined {
  if (mask === undefined) return undefined;
  if (prefix.bits > mask) {
    return `invalid subnet: ${text} is smaller than the per-node pod CIDR mask size /${mask}`;
  }
  return mask - prefix.bits > MAX_NODE_BITS
    ? `invalid subnet: ${text} is too large for the per-node pod CIDR mask size /${mask}, the difference must be at most ${MAX_NODE_BITS} bits`
    : undefined;
}

function serviceSizeProblem(prefix: Prefix, text: string): string | undefined {
  const bits = prefix.address.length * 8;
  if (bits - prefix.bits <= MAX_SERVICE_HOST_BITS) return undefined;
  const least = bits - MAX_SERVICE_HOST_BITS;
  return `invalid subnet: ${text} is too large, it must be at least /${least} (at most ${MAX_SERVICE_HOST_BITS} host identifier bits)`;
}
