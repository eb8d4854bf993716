import type { ControllerManagerConfigSpec, SchedulerConfigSpec } from '../resources/k8s-control-plane.ts';
import { additive, denied, mergeArguments, renderArguments } from './arguments.ts';
import { SCHEDULER_CONFIG as CS, CONTROLLER_MANAGER_SECRETS as SC, SCHEDULER_SECRETS as SS } from './paths.ts';

const MANAGER_POLICIES = Object.freeze({
  ...additive('service-cluster-ip-range', 'controllers'),
  ...denied(
    'cluster-signing-cert-file',
    'cluster-signing-key-file',
    'authentication-kubeconfig',
    'authorization-kubeconfig',
    'root-ca-file',
    'service-account-private-key-file',
  ),
});

/** Command line of kube-controller-manager (reference/v1.11.3.md 17.3). */
export function controllerManagerCommand(config: ControllerManagerConfigSpec): readonly string[] {
  const base = {
    'allocate-node-cidrs': 'true',
    'authentication-kubeconfig': `${SC}/kubeconfig`,
    'authorization-kubeconfig': `${SC}/kubeconfig`,
    'bind-address': '127.0.0.1',
    'cluster-cidr': config.podCIDRs.join(','),
    'cluster-signing-cert-file': `${SC}/ca.crt`,
    'cluster-signing-key-file': `${SC}/ca.key`,
    'configure-cloud-routes': 'false',
    controllers: '*,tokencleaner',
    kubeconfig: `${SC}/kubeconfig`,
    'leader-elect': 'true',
    profiling: 'false',
    'root-ca-file': `${SC}/ca.crt`,
    'service-account-private-key-file': `${SC}/service-account.key`,
    'service-cluster-ip-range': config.serviceCIDRs.join(','),
    'tls-min-version': 'VersionTLS13',
  };
  const merged = mergeArguments(base, config.extraArgs, MANAGER_POLICIES);
  return ['/usr/local/bin/kube-controller-manager', '--use-service-account-credentials', ...renderArguments(merged)];
}

const SCHEDULER_POLICIES = Object.freeze(
  denied('authentication-kubeconfig', 'authorization-kubeconfig', 'config', 'kubeconfig'),
);

/** Command line of kube-scheduler (reference/v1.11.3.md 17.3). */
export function schedulerCommand(config: SchedulerConfigSpec): readonly string[] {
  const base = {
    'authentication-kubeconfig': `${SS}/kubeconfig`,
    'authentication-tolerate-lookup-failure': 'false',
    'authorization-kubeconfig': `${SS}/kubeconfig`,
    'bind-address': '127.0.0.1',
    config: `${CS}/scheduler-config.yaml`,
    'leader-elect': 'true',
    profiling: 'false',
    'tls-min-version': 'VersionTLS13',
  };
  const merged = mergeArguments(base, config.extraArgs, SCHEDULER_POLICIES);
  return ['/usr/local/bin/kube-scheduler', ...renderArguments(merged)];
}
