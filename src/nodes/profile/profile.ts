import type { Timings } from './timing.ts';

/** What differs between Talos releases, as data. */
export interface Profile {
  /** Tag with `v`. */
  readonly version: string;
  readonly sha: string;
  readonly built: string;
  readonly goVersion: string;
  readonly kernel: string;
  readonly images: ImageDefaults;
  readonly kubernetesVersion: string;
  readonly etcd: EtcdRules;
  readonly limits: Limits;
  readonly timings: Timings;
}

export interface ImageDefaults {
  readonly installer: string;
  readonly etcd: string;
  readonly kubelet: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
  readonly proxy: string;
  readonly coreDns: string;
  readonly flannel: string;
  readonly pause: string;
}

/** How machined drives etcd. */
export interface EtcdRules {
  /** Flags that every start has, beside the computed ones (reference/v1.11.3.md 17.1). */
  readonly fixedFlags: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly joinLimitUs: number;
  readonly joinAttemptUs: number;
  readonly joinPauseUs: number;
  readonly promoteLimitUs: number;
  readonly promoteAttemptUs: number;
  readonly promotePauseUs: number;
  /** Random part of both pauses. */
  readonly pauseJitterUs: number;
  readonly healthInitialUs: number;
  readonly healthPeriodUs: number;
  readonly healthTimeoutUs: number;
}

export interface Limits {
  /** How long the boot sequence waits for its services. */
  readonly bootUs: number;
  readonly configLoadUs: number;
  readonly serviceUpUs: number;
  readonly udevdUs: number;
  readonly volumesUs: number;
  readonly lifecycleUs: number;
}
