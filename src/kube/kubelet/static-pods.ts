import { parse } from 'yaml';
import { compareBytes, toHex, utf8Decode, utf8Encode } from '../../platform/bytes.ts';
import { sha256 } from '../../platform/hash.ts';
import type { Platform } from '../../platform/platform.ts';
import { Notifier } from '../../platform/signal.ts';
import type { Task } from '../../platform/task.ts';
import { HttpClient } from '../../rpc/http/client.ts';
import { HttpError } from '../../rpc/http/errors.ts';
import { EMPTY_BODY, partBytes } from '../../rpc/http/message.ts';
import type { KubeObject } from '../objects/object.ts';

/** The kubelet's httpCheckFrequency. */
const PERIOD_US = 20_000_000;
const TIMEOUT_US = 10_000_000;

export const CONFIG_HASH = 'kubernetes.io/config.hash';

/** Static pods as the URL served them last; what cannot be fetched changes nothing. */
export class StaticPodSource {
  readonly #platform: Platform;
  readonly #nodeName: string;
  #pods: readonly KubeObject[] = [];
  #bytes: Uint8Array = EMPTY_BODY;
  #fetched = false;
  readonly changed = new Notifier();

  constructor(platform: Platform, nodeName: string) {
    this.#platform = platform;
    this.#nodeName = nodeName;
  }

  /** Pods named after the node, as mirror pods are. */
  get pods(): readonly KubeObject[] {
    return this.#pods;
  }

  /** True once the URL has answered, or when there is none to ask. */
  get fetched(): boolean {
    return this.#fetched;
  }

  /** There is no URL. */
  skip(): void {
    this.#fetched = true;
  }

  /** Asks the URL, for ever. */
  *follow(url: string): Task<never> {
    const [, address = '127.0.0.1', port = '80', path = '/'] = /^http:\/\/([^:/]+):(\d+)(\/.*)?$/.exec(url) ?? [];
    const client = new HttpClient(this.#platform, { address, port: Number(port) });
    for (;;) {
      try {
        const response = yield* client.request({ target: path, timeoutUs: TIMEOUT_US });
        if (response.status === 200) this.#take(partBytes(response.body));
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
      }
      yield* this.#platform.clock.sleep(PERIOD_US);
    }
  }

  #take(bytes: Uint8Array): void {
    this.#fetched = true;
    if (bytes === this.#bytes || compareBytes(bytes, this.#bytes) === 0) return;
    this.#bytes = bytes;
    const list = parse(utf8Decode(bytes)) as { items?: readonly KubeObject[] | null } | null;
    this.#pods = (list?.items ?? []).map((pod) => this.#named(pod));
    this.changed.notify();
  }

  #named(pod: KubeObject): KubeObject {
    const hash = toHex(sha256(utf8Encode(JSON.stringify(pod)))).slice(0, 32);
    const metadata = {
      ...pod.metadata,
      name: `${pod.metadata.name}-${this.#nodeName}`,
      namespace: pod.metadata.namespace ?? 'default',
      uid: hash,
      annotations: { ...pod.metadata.annotations, [CONFIG_HASH]: hash, 'kubernetes.io/config.source': 'http' },
    };
    return { ...pod, metadata, spec: { ...(pod.spec as object), nodeName: this.#nodeName } };
  }
}
