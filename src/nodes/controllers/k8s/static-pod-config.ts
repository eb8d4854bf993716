import { textAt } from '../../../config/view.ts';
import type { Controller } from '../../../cosi/index.ts';
import { passController, shared, weak } from '../../../cosi/index.ts';
import { activeSettings } from '../../config/active.ts';
import { ACTIVE_CONFIG, MachineConfigs } from '../../resources/config.ts';
import { StaticPods } from '../../resources/k8s.ts';

/** Static pods of the user. */
export const staticPodConfigController: Controller = passController({
  name: 'k8s.StaticPodConfigController',
  inputs: [weak(MachineConfigs, ACTIVE_CONFIG)],
  outputs: [shared(StaticPods)],
  pass: (context) => {
    const pods = activeSettings(context)?.machine.pods ?? [];
    context.startTrackingOutputs();
    for (const pod of pods) {
      const namespace = textAt(pod, 'metadata', 'namespace') || 'default';
      const name = textAt(pod, 'metadata', 'name') || 'default';
      context.set(StaticPods, `${namespace}-${name}`, { pod });
    }
    context.cleanupOutputs(StaticPods);
    return undefined;
  },
});
