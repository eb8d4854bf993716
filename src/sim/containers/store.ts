import { compareText, utf8Encode } from '../../platform/bytes.ts';
import type { Namespace } from '../disk/namespace.ts';

/** Where containerd keeps what it pulled. On the EPHEMERAL partition once that is mounted, so wiping it loses images. */
const STORE = '/var/lib/containerd/images';

/** Names of the images that a machine has, as files in its own tree. */
export class ImageStore {
  readonly #namespace: Namespace;
  readonly #now: () => number;

  constructor(namespace: Namespace, now: () => number) {
    this.#namespace = namespace;
    this.#now = now;
  }

  has(image: string): boolean {
    const { volume, path } = this.#namespace.locate(`${STORE}/${fileName(image)}`);
    return volume.fileSystem.lookup(path) !== undefined;
  }

  list(): string[] {
    const { volume, path } = this.#namespace.locate(STORE);
    if (volume.fileSystem.lookup(path) === undefined) return [];
    const names = volume.fileSystem.list(path).map((entry) => imageName(entry.name));
    return names.sort(compareText);
  }

  /** Adds an image; it is durable at once, since containerd syncs what it unpacks. DiskError when the disk is full. */
  add(image: string): void {
    const { volume, path } = this.#namespace.locate(STORE);
    const fileSystem = volume.fileSystem;
    fileSystem.makeDirectory(path);
    const at = `${path}/${fileName(image)}`;
    const file = fileSystem.open(at, { create: true });
    fileSystem.write(at, file, 0, utf8Encode(String(this.#now())));
    fileSystem.commitAll();
  }

  remove(image: string): void {
    const { volume, path } = this.#namespace.locate(STORE);
    volume.fileSystem.removeTree(`${path}/${fileName(image)}`);
  }
}

function fileName(image: string): string {
  return image.replaceAll('%', '%25').replaceAll('/', '%2f');
}

function imageName(file: string): string {
  return file.replaceAll('%2f', '/').replaceAll('%25', '%');
}
