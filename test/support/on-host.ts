import type { HostPlatform } from '../../src/host/platform.ts';
import type { Task } from '../../src/platform/task.ts';

/** Runs a task in the scope of a host platform; settles as the task ends. */
export function onHost<T>(host: HostPlatform, body: () => Task<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    host.executor.enter(() => {
      host.scope.spawn('test', function* () {
        try {
          resolve(yield* body());
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  });
}
