import { splitImage } from '../../platform/image.ts';

/** Programs that come with the package; `src/host/run-program.ts` knows where they are. */
export type BuiltInProgram =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubelet'
  | 'discovery-service'
  | 'time-server'
  | 'load-balancer';

/** What a host runs for an image. */
export type ImageSource =
  | { readonly kind: 'built-in'; readonly name: BuiltInProgram }
  | {
      readonly kind: 'program';
      /** URL of the module that exports the Program, and the name it exports it under. */
      readonly module: string;
      readonly export: string;
    }
  | {
      readonly kind: 'binary';
      /** Path of an executable; it gets the container's arguments with mounted directories replaced by real ones. */
      readonly path: string;
    };

/** Sources by image reference. A name without its tag (`gcr.io/etcd-development/etcd`) stands for every tag. */
export type ImageMap = Readonly<Record<string, ImageSource>>;

/** The source of an image, or undefined when there is none. */
export function sourceOf(images: ImageMap, image: string): ImageSource | undefined {
  const exact = images[image];
  if (exact !== undefined) return exact;
  return images[splitImage(image).repository];
}
