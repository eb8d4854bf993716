import { ContainerError } from '../../platform/errors.ts';
import type { Task } from '../../platform/task.ts';
import { NodeError } from '../errors.ts';
import type { Machine } from '../machine.ts';
import { exponentialUnits } from '../retry.ts';

const LIMIT_US = 20 * 60_000_000;
const UNIT_US = 5_000_000;
/** Not-found answers after which a pull gives up. */
const NOT_FOUND_LIMIT = 6;

/** Pulls an image unless it is there: up to 20 minutes, giving up at the sixth not-found answer (reference/controllers.md C.2). */
export function* pullImage(machine: Machine, image: string, notFoundLimit = NOT_FOUND_LIMIT): Task<void> {
  const { containers, clock } = machine.platform;
  if (containers.hasImage(image)) return;
  const deadlineUs = clock.monotonicUs() + LIMIT_US;
  const pause = exponentialUnits(UNIT_US);
  let notFound = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      yield* containers.pull(image);
      return;
    } catch (error) {
      if (!(error instanceof ContainerError)) throw error;
      if (error.code === 'image-not-found') notFound++;
      const pauseUs = pause(attempt);
      if (notFound >= notFoundLimit || clock.monotonicUs() + pauseUs > deadlineUs) {
        throw new NodeError(`failed to pull image "${image}": ${error.message}`);
      }
      yield* clock.sleep(pauseUs);
    }
  }
}
