import type { Process } from '../../platform/containers.ts';

/** What a kubelet prints with `logging.format: json`: one object a line, `ts` in milliseconds since 1970. */
export class KubeletConsole {
  readonly #process: Process;

  constructor(process: Process) {
    this.#process = process;
  }

  /** `caller` names the part of the kubelet that speaks. */
  info(caller: string, msg: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const ts = this.#process.platform.clock.nowUs() / 1000;
    this.#process.print(JSON.stringify({ ts, caller, msg, v: 0, ...fields }));
  }
}
