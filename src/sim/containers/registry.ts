import type { Program } from '../../platform/containers.ts';

/** What an image name runs; undefined when there is no such image. */
export type ImageResolver = (image: string) => Program | undefined;

/** What is wrong with a registry. */
export type RegistryOutage =
  /** Pulls fail after their usual time. */
  | { readonly kind: 'down' }
  /** Pulls take so much longer, in percent of their usual time. */
  | { readonly kind: 'slow'; readonly percent: number };

/** The outside world of images: what exists, and whether registries answer. */
export class Registry {
  readonly #resolve: ImageResolver;
  readonly #outages = new Map<string, RegistryOutage>();
  readonly #missing = new Set<string>();

  constructor(resolve: ImageResolver) {
    this.#resolve = resolve;
  }

  /** The program of an image, pulled or not. */
  programOf(image: string): Program | undefined {
    return this.#resolve(image);
  }

  /** True when a registry has the image. */
  has(image: string): boolean {
    return !this.#missing.has(image) && this.#resolve(image) !== undefined;
  }

  /** Breaks one registry (`ghcr.io`), or all of them (`*`), until {@link heal}. */
  breakRegistry(host: string, outage: RegistryOutage): void {
    this.#outages.set(host, outage);
  }

  heal(host: string): void {
    this.#outages.delete(host);
  }

  /** The image is (no longer or again) there to be pulled; machines that have it keep it. */
  setMissing(image: string, missing: boolean): void {
    if (missing) this.#missing.add(image);
    else this.#missing.delete(image);
  }

  outageOf(image: string): RegistryOutage | undefined {
    return this.#outages.get(hostOf(image)) ?? this.#outages.get('*');
  }
}

/** Registry host of an image reference, by the rule of container tools: the first part if it looks like a host. */
function hostOf(image: string): string {
  const cut = image.indexOf('/');
  const first = cut < 0 ? '' : image.slice(0, cut);
  return first.includes('.') || first.includes(':') || first === 'localhost' ? first : 'docker.io';
}
