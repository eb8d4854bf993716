import { parseAllDocuments } from 'yaml';
import type { ConfigObject } from '../../../config/schema/types.ts';
import { type Controller, ControllerError, passController, shared, weak } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import { bootstrapManifests } from '../../kube/manifests/all.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { BootstrapManifestsConfigs, Manifests } from '../../resources/k8s-control-plane.ts';
import { KubernetesRootSecrets } from '../../resources/secrets.ts';

/** Talos's own manifests. */
export const manifestController: Controller = passController({
  name: 'k8s.ManifestController',
  inputs: [weak(BootstrapManifestsConfigs, 'manifests'), weak(KubernetesRootSecrets, 'k8s')],
  outputs: [shared(Manifests)],
  pass: (context) => {
    const config = context.get(BootstrapManifestsConfigs, 'manifests');
    const root = context.get(KubernetesRootSecrets, 'k8s');
    context.startTrackingOutputs();
    if (config !== undefined && root !== undefined) {
      const rendered = bootstrapManifests(config.spec, root.spec);
      for (const id of Object.keys(rendered)) context.set(Manifests, id, { items: rendered[id]! });
    }
    context.cleanupOutputs(Manifests);
    return undefined;
  },
});

/** The user's inline manifests. Those that would have to be downloaded are not simulated. */
export const extraManifestController: Controller = passController({
  name: 'k8s.ExtraManifestController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [shared(Manifests)],
  pass: (context) => {
    const settings = activeSettings(context);
    context.startTrackingOutputs();
    for (const { name, contents } of settings?.cluster.inlineManifests ?? []) {
      context.set(Manifests, `99-${name}`, { items: parseObjects(name, contents) });
    }
    context.cleanupOutputs(Manifests);
    return undefined;
  },
});

function parseObjects(name: string, contents: string): readonly ConfigObject[] {
  const items: ConfigObject[] = [];
  for (const document of parseAllDocuments(contents)) {
    if (document.errors.length > 0) {
      throw new ControllerError(`error loading manifest ${name}: ${document.errors[0]!.message}`);
    }
    const value: unknown = document.toJS();
    if (value === null || typeof value !== 'object' || Object.keys(value).length === 0) continue;
    const object = value as ConfigObject;
    if (typeof object.kind === 'string' && object.kind.endsWith('List') && Array.isArray(object.items)) {
      items.push(...(object.items as readonly ConfigObject[]));
    } else items.push(object);
  }
  return items;
}
