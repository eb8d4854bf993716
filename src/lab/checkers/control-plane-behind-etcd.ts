import { serviceState, staticPods } from '../../nodes/events.ts';
import { kernelEnded } from '../../sim/events.ts';
import { type Checker, machineOf } from './checker.ts';

/** Control-plane pods first appear only behind a healthy local etcd (reference/v1.11.3.md 8.3). */
export function controlPlaneBehindEtcd(): Checker {
  const healthy = new Set<string>();
  const shown = new Set<string>();
  return {
    guarantee: 'control-plane-behind-etcd',
    about: 'static pods of the control plane first appear when the local etcd is healthy',
    take(event, report) {
      const machine = machineOf(event.source);
      if (event.kind === kernelEnded.name) {
        healthy.delete(machine);
        shown.delete(machine);
      } else if (event.kind === serviceState.name) {
        const { service, health } = event.fields as { service: string; health: string };
        if (service === 'etcd' && health === 'healthy') healthy.add(machine);
      } else if (event.kind === staticPods.name) {
        const pods = (event.fields as { pods: readonly string[] }).pods.filter((pod) => pod.includes('kube-'));
        if (pods.length > 0 && !shown.has(machine) && !healthy.has(machine))
          report(`${machine} serves ${pods.join(', ')} although its etcd was never healthy in this boot`);
        if (pods.length > 0) shown.add(machine);
      }
    },
  };
}
