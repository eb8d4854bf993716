import { Channel, END } from '../../platform/channel.ts';
import type { Task } from '../../platform/task.ts';
import type { HttpError } from './errors.ts';
import type { HttpHeaders, HttpPart } from './message.ts';

/** A response whose body arrives piece by piece. */
export class StreamedResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly #abandon: () => void;
  readonly #parts = new Channel<HttpPart>();
  #error: HttpError | undefined;
  #ended = false;
  #onPart: ((part: HttpPart) => void) | undefined;
  #onEnd: ((error: HttpError | undefined) => void) | undefined;

  constructor(status: number, headers: HttpHeaders, abandon: () => void) {
    this.status = status;
    this.headers = headers;
    this.#abandon = abandon;
  }

  /** The next piece, undefined after the last; throws HttpError when the connection broke before. */
  *receive(): Task<HttpPart | undefined> {
    const part = yield* this.#parts.receive();
    if (part !== END) return part;
    if (this.#error !== undefined) throw this.#error;
    return undefined;
  }

  /** For hot paths, in place of {@link receive}: pieces as they arrive, then the end once. */
  consume(onPart: (part: HttpPart) => void, onEnd: (error: HttpError | undefined) => void): void {
    this.#onPart = onPart;
    this.#onEnd = onEnd;
    for (let part = this.#parts.poll(); part !== undefined; part = this.#parts.poll()) onPart(part);
    if (this.#ended) onEnd(this.#error);
  }

  /** Gives the rest of the body up and closes the connection. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd = undefined;
    this.#onPart = () => {};
    this.#abandon();
    this.#parts.close();
  }

  /** For the connection: a piece arrived. */
  put(part: HttpPart): void {
    if (this.#onPart !== undefined) this.#onPart(part);
    else this.#parts.offer(part);
  }

  /** For the connection: the body is complete, or broken. */
  end(error: HttpError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#parts.close();
    this.#onEnd?.(error);
  }
}
