import { type Controller, exclusive, passController, weak } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import { isControlPlane } from '../../config/settings.ts';
import { CONTROL_PLANE_TAINT } from '../../kube/kubelet-configuration.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { NodeAnnotationSpecs, NodeCordonedSpecs, NodeLabelSpecs, NodeTaintSpecs } from '../../resources/k8s.ts';
import { type MachineStage, MachineStatuses } from '../../resources/runtime.ts';

/** What the Node object is to carry (reference/controllers.md B.6). */

export const nodeLabelSpecController: Controller = passController({
  name: 'k8s.NodeLabelSpecController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [exclusive(NodeLabelSpecs)],
  pass: (context) => {
    const settings = activeSettings(context);
    context.startTrackingOutputs();
    const labels: Record<string, string> = { ...settings?.machine.nodeLabels };
    if (settings !== undefined && isControlPlane(settings.machineType)) labels[CONTROL_PLANE_TAINT] = '';
    for (const key of Object.keys(labels)) context.set(NodeLabelSpecs, key, { key, value: labels[key]! });
    context.cleanupOutputs(NodeLabelSpecs);
    return undefined;
  },
});

export const nodeAnnotationSpecController: Controller = passController({
  name: 'k8s.NodeAnnotationSpecController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [exclusive(NodeAnnotationSpecs)],
  pass: (context) => {
    const annotations = activeSettings(context)?.machine.nodeAnnotations ?? {};
    context.startTrackingOutputs();
    for (const key of Object.keys(annotations))
      context.set(NodeAnnotationSpecs, key, { key, value: annotations[key]! });
    context.cleanupOutputs(NodeAnnotationSpecs);
    return undefined;
  },
});

export const nodeTaintSpecController: Controller = passController({
  name: 'k8s.NodeTaintSpecController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [exclusive(NodeTaintSpecs)],
  pass: (context) => {
    const settings = activeSettings(context);
    context.startTrackingOutputs();
    const taints: Record<string, string> = {};
    if (settings !== undefined && isControlPlane(settings.machineType)) {
      if (!settings.cluster.allowSchedulingOnControlPlanes) taints[CONTROL_PLANE_TAINT] = 'NoSchedule';
    }
    Object.assign(taints, settings?.machine.nodeTaints);
    for (const [key, text] of Object.entries(taints)) {
      const colon = text.lastIndexOf(':');
      const value = colon < 0 ? '' : text.slice(0, colon);
      context.set(NodeTaintSpecs, key, { key, value, effect: text.slice(colon + 1) });
    }
    context.cleanupOutputs(NodeTaintSpecs);
    return undefined;
  },
});

const CORDONING: readonly MachineStage[] = Object.freeze(['shutting down', 'upgrading', 'resetting']);
const UNCORDONING: readonly MachineStage[] = Object.freeze(['booting', 'running']);

/** A machine on its way down cordons its Node, one that is up again uncordons it. */
export const nodeCordonedSpecController: Controller = passController({
  name: 'k8s.NodeCordonedSpecController',
  inputs: [weak(MachineStatuses, 'machine')],
  outputs: [exclusive(NodeCordonedSpecs)],
  pass: (context) => {
    const stage = context.get(MachineStatuses, 'machine')?.spec.stage;
    if (stage === undefined) return undefined;
    if (CORDONING.includes(stage)) context.set(NodeCordonedSpecs, 'cordoned', { cordoned: true });
    else if (UNCORDONING.includes(stage)) context.destroy(NodeCordonedSpecs, 'cordoned');
    return undefined;
  },
});
