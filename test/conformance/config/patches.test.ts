/** Published patches: each applies to a generated base of its release, and every noted feature is met in what comes out. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import { formatConfigError } from '../../../src/config/errors.ts';
import { explain } from '../../../src/config/explain/explain.ts';
import { generateDocuments } from '../../../src/config/generate/generate.ts';
import { applyPatches } from '../../../src/config/patch/apply.ts';
import { parsePatch } from '../../../src/config/patch/load.ts';
import { parseVersion } from '../../../src/config/version.ts';
import { inputFor } from '../../config/generate/helpers.ts';
import { present, type Row, read, rows } from './corpus-index.ts';

/** Where a noted feature shows: document and field path. Words that speak of the file itself have no place. */
const FEATURES: Readonly<Record<string, RegExp>> = {
  '$patch:delete': /^v1alpha1/,
  admissionControl: /apiServer\.admissionControl/,
  'apiServer.extraArgs': /apiServer\.extraArgs/,
  auditPolicy: /apiServer\.auditPolicy/,
  certSANs: /certSANs/,
  'cni:custom': /cni\.name/,
  'cni:none': /cni\.name/,
  coreDNS: /cluster\.coreDNS/,
  deviceSelector: /deviceSelector/,
  'dhcp:false': /dhcp/,
  'dhcp:true': /dhcp/,
  diskEncryption: /systemDiskEncryption/,
  diskSelector: /diskSelector/,
  disablePSP: /disablePodSecurityPolicy/,
  discovery: /cluster\.discovery/,
  'discovery.k8s:on': /registries\.kubernetes/,
  'discovery.service:off': /registries\.service/,
  'discovery:off': /discovery\.enabled/,
  'etcd.extraArgs': /etcd\.extraArgs/,
  extraHostEntries: /extraHostEntries/,
  extraKernelArgs: /extraKernelArgs/,
  extraManifests: /extraManifests/,
  extraMounts: /extraMounts/,
  hostDNS: /hostDNS/,
  hostname: /hostname/,
  inlineManifests: /inlineManifests/,
  install: /machine\.install/,
  ipv6: /Subnets|node-cidr|extraArgs/,
  'kcm.extraArgs': /controllerManager\.extraArgs/,
  kubePrism: /kubePrism/,
  'kubelet.extraArgs': /kubelet\.extraArgs/,
  'kubelet.extraConfig': /kubelet\.extraConfig/,
  'kubespan(off)': /kubespan/,
  logging: /machine\.logging/,
  'machine.disks': /machine\.disks/,
  'machine.files': /machine\.files/,
  mtu: /mtu/,
  nameservers: /nameservers/,
  'nodeIP.validSubnets': /validSubnets/,
  nodeLabels: /nodeLabels/,
  oidc: /apiServer\.extraArgs/,
  'proxy.disabled': /proxy\.disabled/,
  registries: /registries/,
  'registries.mirrors': /registries\.mirrors/,
  routes: /routes/,
  'schedOnCP:true': /allowSchedulingOn/,
  scheduler: /cluster\.scheduler/,
  sysctls: /machine\.sysctls/,
  sysfs: /machine\.sysfs/,
  talosAPIAccess: /kubernetesTalosAPIAccess/,
  'time.servers': /time\.servers/,
  udev: /machine\.udev/,
  bond: /bond/,
  vip: /vip/,
};
const OF_THE_FILE =
  /^(\d+ docs|minimal|multi-doc|schematic|has \$\{ENV\} substitutions|RFC6902 JSON patch|config document\(s\) only.*|)$/;

/** Contract of the base: that of the newest document in the patch. */
function minorOf({ notes }: Row): number {
  if (/doc:(Environment|TCPProbe)Config/.test(notes)) return 13;
  return /doc:(Bond|Hostname|RegistryMirror|LinkAlias)Config/.test(notes) ? 12 : 11;
}

/** The one label that a patch takes away again leaves none. */
function isDeleted({ file }: Row, word: string): boolean {
  return file === '023.yaml' && word === 'nodeLabels';
}

/** A JSON patch of an interface needs one. */
const INTERFACE = 'machine: {network: {interfaces: [{interface: eth0}]}}\n';

describe.skipIf(!present)('patches of the corpus', () => {
  const patches = rows().filter(({ kind, file }) => kind === 'patch' && file !== '046.yaml');

  test.each(patches)('$file applies to a generated base', (row) => {
    const minor = minorOf(row);
    const text = read(row.file).replace(/\$\{[A-Za-z_]+\}/g, '10');
    const base = generateDocuments(inputFor(minor, { installDisk: '/dev/sda' }), 'controlplane');
    const before = row.file === '028.yaml' ? [parsePatch(INTERFACE, { minor })] : [];
    const patched = applyPatches(base, [...before, parsePatch(text, { minor, file: row.file })], { minor });
    const loaded = loadConfig(patched, { version: parseVersion(`v1.${minor}.0`)! });
    expect('errors' in loaded ? loaded.errors.map(formatConfigError) : []).toEqual([]);
    if ('errors' in loaded) return;
    const met = explain(loaded.config).map(({ document, path }) => `${document} ${path}`);
    if (row.file === '023.yaml') expect(patched).not.toContain('exclude-from-external-load-balancers');
    const noted = row.notes.split(/[;|]/).map((word) => word.trim());
    for (const word of noted.filter((candidate) => !OF_THE_FILE.test(candidate) && !isDeleted(row, candidate))) {
      const proof = word.startsWith('doc:') ? new RegExp(`^${word.slice(4)}`) : FEATURES[word];
      expect(proof, `nothing is known of the feature "${word}"`).toBeDefined();
      expect(
        met.some((line) => proof!.test(line)),
        `${row.file}: ${word}`,
      ).toBe(true);
    }
  });
});
