/** The legacy document, in the order of the real tool (reference/network-config.md E.5; v1.11.3.md 11.4). */

import { goQuote } from '../../platform/text/quote.ts';
import type { Path } from '../errors.ts';
import type { ConfigObject } from '../schema/types.ts';
import { flagAt, keysAt, listAt, numberAt, objectAt, textAt } from '../view.ts';
import { checkCluster, checkCni } from './cluster.ts';
import { checkDevices } from './devices.ts';
import type { Findings } from './findings.ts';
import { diskMatchExpression } from './install.ts';
import { requiresInstall, type ValidateOptions } from './mode.ts';
import { isControlPlaneRole, type MachineRole, machineRole } from './role.ts';
import {
  checkDisks,
  checkEncryption,
  checkExtensions,
  checkFeatures,
  checkKubelet,
  checkKubeSpan,
  checkLogging,
  checkNodeMetadata,
  checkRegistries,
  checkRuntimeSpec,
  kubeSpanMtuProblem,
} from './sections.ts';

/** Checks the whole legacy document. */
export function checkLegacy(findings: Findings, root: ConfigObject, options: ValidateOptions): void {
  const machine = objectAt(root, 'machine');
  if (machine === undefined) {
    findings.error(['machine'], 'machine instructions are required');
    return;
  }
  const cluster = objectAt(root, 'cluster');
  const role = machineRole(textAt(machine, 'type'));
  const controlPlane = isControlPlaneRole(role);
  checkDeprecated(findings, machine, options);
  checkCluster(findings, cluster, controlPlane, options.minor);
  checkInstall(findings, machine, options);
  checkHostDns(findings, machine, options);
  checkType(findings, textAt(machine, 'type'), role);
  checkAuthorities(findings, machine, cluster, role, options.minor);
  checkNetwork(findings, machine);
  checkDisks(findings, listAt(machine, 'disks'));
  checkKubelet(findings, objectAt(machine, 'kubelet'));
  checkEncryption(findings, machine);
  checkKubeSpan(findings, machine, cluster, options.minor);
  checkLogging(findings, machine);
  checkExtensions(findings, machine, options.minor);
  checkNodeMetadata(findings, machine);
  checkFeatures(findings, machine, controlPlane, options.minor);
  if (flagAt(root, 'persist') === false) {
    findings.error(['persist'], '.persist should be enabled');
  }
  checkRuntimeSpec(findings, machine);
  checkRegistries(findings, machine);
}

function checkDeprecated(findings: Findings, machine: ConfigObject, options: ValidateOptions): void {
  if (options.minor < 14) {
    return;
  }
  if (listAt(machine, 'files').length > 0) {
    const message = '.machine.files is deprecated; use dedicated configuration documents instead';
    findings.warn(['machine', 'files'], message);
  }
  if (keysAt(machine, 'baseRuntimeSpecOverrides').length > 0) {
    const message = '.machine.baseRuntimeSpecOverrides is deprecated; use a CRIBaseRuntimeSpecConfig document instead';
    findings.warn(['machine', 'baseRuntimeSpecOverrides'], message);
  }
}

function checkInstall(findings: Findings, machine: ConfigObject, options: ValidateOptions): void {
  if (!requiresInstall(options.mode)) {
    return;
  }
  const install = objectAt(machine, 'install');
  const path: Path = ['machine', 'install'];
  if (install === undefined) {
    if (options.minor < 14) {
      findings.error(path, `install instructions are required in ${goQuote(options.mode)} mode`);
    }
    return;
  }
  const match = diskMatchExpression(install);
  const bad = match !== undefined && 'error' in match;
  if (bad) {
    findings.error([...path, 'diskSelector'], `install disk selector is invalid: ${match.error}`);
  }
  if (textAt(install, 'disk') === '' && (match === undefined || bad)) {
    findings.error(path, 'either install disk or diskSelector should be defined');
  }
  if (listAt(install, 'extraKernelArgs').length > 0 && flagAt(install, 'grubUseUKICmdline') === true) {
    findings.error(path, "install.extraKernelArgs and install.grubUseUKICmdline can't be used together");
  }
}

function checkHostDns(findings: Findings, machine: ConfigObject, options: ValidateOptions): void {
  const dns = objectAt(machine, 'features', 'hostDNS');
  const path: Path = ['machine', 'features', 'hostDNS'];
  const enabled = flagAt(dns, 'enabled') === true;
  const forward = flagAt(dns, 'forwardKubeDNSToHost') === true;
  if (options.minor >= 14) {
    if (forward && !enabled) {
      const message =
        'feature hostDNS.forwardKubeDNSToHost requires hostDNS.enabled to be true (.machine.features.hostDNS)';
      findings.error(path, message);
    }
    return;
  }
  if (options.mode !== 'container') {
    return;
  }
  if (!enabled) {
    const message = 'feature HostDNS should be enabled in container mode (.machine.features.hostDNS.enabled)';
    findings.error([...path, 'enabled'], message);
  }
  if (!forward) {
    const message =
      'feature HostDNS should forward kube-dns to host in container mode (.machine.features.hostDNS.forwardKubeDNSToHost)';
    findings.error([...path, 'forwardKubeDNSToHost'], message);
  }
}

function checkType(findings: Findings, given: string, role: string): void {
  if (role !== 'unknown' && role !== given) {
    findings.warn(['machine', 'type'], `use ${goQuote(role)} instead of ${goQuote(given)} for machine type`);
  }
}

function checkAuthorities(
  findings: Findings,
  machine: ConfigObject,
  cluster: ConfigObject | undefined,
  role: MachineRole,
  minor: number,
): void {
  const ca = objectAt(machine, 'ca');
  const accepted = listAt(machine, 'acceptedCAs').length;
  if (ca === undefined && accepted === 0) {
    const message = 'issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)';
    findings.error(['machine', 'ca'], message);
  }
  if (isControlPlaneRole(role)) {
    checkCni(findings, cluster, minor);
    if (ca === undefined) {
      findings.error(['machine', 'ca'], 'issuing CA is required (.machine.ca)');
    } else if (textAt(ca, 'key') === '') {
      const message = 'issuing CA key is required for controlplane nodes (.machine.ca.key)';
      findings.error(['machine', 'ca', 'key'], message);
    }
  } else if (role === 'worker') {
    checkWorker(findings, machine, cluster, ca, accepted);
  } else {
    findings.error(['machine', 'type'], `unknown machine type ${goQuote(textAt(machine, 'type'))}`);
  }
}

function checkWorker(
  findings: Findings,
  machine: ConfigObject,
  cluster: ConfigObject | undefined,
  ca: ConfigObject | undefined,
  accepted: number,
): void {
  const refusal = 'virtual (shared) IP is not allowed on non-controlplane nodes';
  for (const [index, device] of listAt(machine, 'network', 'interfaces').entries()) {
    const path: Path = ['machine', 'network', 'interfaces', index];
    if (objectAt(device, 'vip') !== undefined) {
      findings.error([...path, 'vip'], refusal);
    }
    for (const [position, vlan] of listAt(device, 'vlans').entries()) {
      if (objectAt(vlan, 'vip') !== undefined) {
        findings.error([...path, 'vlans', position, 'vip'], refusal);
      }
    }
  }
  if (ca !== undefined && textAt(ca, 'key') !== '') {
    const message = 'issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)';
    findings.error(['machine', 'ca', 'key'], message);
  }
  if (ca !== undefined && textAt(ca, 'crt') === '' && accepted === 0) {
    const message =
      'trusted CA certificates are required on non-controlplane nodes (.machine.ca.crt, .machine.acceptedCAs)';
    findings.error(['machine', 'ca', 'crt'], message);
  }
  if (textAt(cluster, 'ca', 'key') !== '') {
    const message = 'issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)';
    findings.error(['cluster', 'ca', 'key'], message);
  }
}

function checkNetwork(findings: Findings, machine: ConfigObject): void {
  checkDevices(findings, listAt(machine, 'network', 'interfaces'));
  const kubespan = objectAt(machine, 'network', 'kubespan');
  // Zero is the default, which is large enough.
  const mtu = numberAt(kubespan, 'mtu');
  const problem = mtu === 0 ? undefined : kubeSpanMtuProblem(mtu);
  if (flagAt(kubespan, 'enabled') === true && problem !== undefined) {
    findings.error(['machine', 'network', 'kubespan', 'mtu'], problem);
  }
}
