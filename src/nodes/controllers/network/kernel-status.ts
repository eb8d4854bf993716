import type { Controller, ControllerContext, Output, ResourceKind } from '../../../cosi/index.ts';
import { exclusive } from '../../../cosi/index.ts';
import type { MachineNet } from '../../../platform/net.ts';

/**
 * A controller whose resources of one kind show what the kernel has; `write` writes all of them.
 * `own`: whether others write resources of the type, too.
 */
export function kernelController(
  name: string,
  kind: ResourceKind<unknown>,
  net: MachineNet,
  write: (context: ControllerContext) => void,
  own: (kind: ResourceKind<unknown>) => Output = exclusive,
): Controller {
  return {
    name,
    inputs: [],
    outputs: [own(kind)],
    *run(context) {
      const unsubscribe = net.onChange(() => context.queueReconcile());
      try {
        for (;;) {
          yield* context.wakeUp();
          context.startTrackingOutputs();
          write(context);
          context.cleanupOutputs(kind);
        }
      } finally {
        unsubscribe();
      }
    },
  };
}
