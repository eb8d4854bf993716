import { objectAt } from '../../../config/view.ts';
import type { Controller } from '../../../cosi/index.ts';
import { exclusive, passController, weak } from '../../../cosi/index.ts';
import { specYaml } from '../../api/yaml.ts';
import { APISERVER_CONFIG, SCHEDULER_CONFIG, SCHEDULER_SECRETS } from '../../kube/paths.ts';
import {
  AdmissionControlConfigs,
  AuditPolicyConfigs,
  AuthorizationConfigs,
  ConfigStatuses,
  SchedulerConfigs,
} from '../../resources/k8s-control-plane.ts';
import type { FileStore } from '../../storage/files.ts';

/** Writes the config files of the control plane's static pods (reference/controllers.md B.2.4, reference/v1.11.3.md 8.4). */
export function renderConfigsStaticPodController(files: FileStore): Controller {
  return passController({
    name: 'k8s.RenderConfigsStaticPodController',
    inputs: [
      weak(AdmissionControlConfigs, 'admission-control'),
      weak(AuditPolicyConfigs, 'audit-policy'),
      weak(AuthorizationConfigs, 'authorization'),
      weak(SchedulerConfigs, 'kube-scheduler'),
    ],
    outputs: [exclusive(ConfigStatuses)],
    pass: function* (context) {
      const admission = context.get(AdmissionControlConfigs, 'admission-control');
      const audit = context.get(AuditPolicyConfigs, 'audit-policy');
      const authorization = context.get(AuthorizationConfigs, 'authorization');
      const scheduler = context.get(SchedulerConfigs, 'kube-scheduler');
      if (admission === undefined || audit === undefined || authorization === undefined || scheduler === undefined) {
        return;
      }
      const contents = {
        [`${APISERVER_CONFIG}/admission-control-config.yaml`]: {
          apiVersion: 'apiserver.config.k8s.io/v1',
          kind: 'AdmissionConfiguration',
          plugins: admission.spec.config.map((plugin) => ({ ...plugin, path: '' })),
        },
        [`${APISERVER_CONFIG}/auditpolicy.yaml`]: audit.spec.config,
        [`${APISERVER_CONFIG}/authorization-config.yaml`]: {
          apiVersion: 'apiserver.config.k8s.io/v1beta1',
          kind: 'AuthorizationConfiguration',
          authorizers: authorization.spec.config.map(({ type, name, webhook }) => ({
            type,
            name,
            ...(Object.keys(webhook).length === 0 ? {} : { webhook }),
          })),
        },
        [`${SCHEDULER_CONFIG}/scheduler-config.yaml`]: {
          ...scheduler.spec.config,
          apiVersion: 'kubescheduler.config.k8s.io/v1',
          kind: 'KubeSchedulerConfiguration',
          clientConnection: {
            ...objectAt(scheduler.spec.config, 'clientConnection'),
            kubeconfig: `${SCHEDULER_SECRETS}/kubeconfig`,
          },
        },
      };
      for (const [path, content] of Object.entries(contents)) yield* files.write(path, specYaml(content));
      const version = [admission, audit, authorization, scheduler].map(({ metadata }) => metadata.version).join('');
      context.set(ConfigStatuses, 'static-pods', { ready: true, version });
    },
  });
}
