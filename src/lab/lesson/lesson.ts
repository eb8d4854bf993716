import { machinesText } from '../engine/report.ts';
import type { Session } from '../engine/session.ts';
import type { Slices } from '../engine/slices.ts';
import type { Step } from '../scenario/model.ts';
import { driveOperator } from '../shell/drive.ts';

/** What one page of a lesson shows after its steps were run. */
export interface LessonPage {
  /** `01/10` */
  readonly number: string;
  readonly title: string;
  readonly text: string;
  /** Commands of the page with what they printed. */
  readonly transcript: string;
  /** The machines, as `status` shows them. */
  readonly machines: string;
  /** Why the steps did not go as they should; empty when they did. */
  readonly problems: readonly string[];
}

interface Chapter {
  readonly title: string;
  readonly text: string;
  readonly steps: readonly Step[];
}

/**
 * A scenario turned page by page. A step with a `title` begins a page; what stands before the first one belongs to it.
 * Going back is running again from the start: the same seed gives the same run.
 */
export class Lesson {
  readonly #chapters: readonly Chapter[];
  readonly #open: () => Session;
  #session: Session;
  #page = 0;

  /** `open` makes the session anew, with its machines off. */
  constructor(steps: readonly Step[], open: () => Session) {
    this.#chapters = chaptersOf(steps);
    this.#open = open;
    this.#session = this.#begin();
  }

  get pages(): number {
    return this.#chapters.length;
  }

  /** Runs the steps of the next page; undefined after the last one. */
  *forward(): Slices<LessonPage | undefined> {
    const chapter = this.#chapters[this.#page];
    if (chapter === undefined) return undefined;
    this.#page++;
    let transcript = '';
    const { problems } = yield* driveOperator(
      this.#session,
      (engine) => engine.run(chapter.steps),
      (text) => {
        transcript += text;
      },
      undefined,
      (line) => {
        transcript += `$ ${line}\n`;
      },
    );
    const digits = (value: number): string => String(value).padStart(2, '0');
    return {
      number: `${digits(this.#page)}/${digits(this.pages)}`,
      title: chapter.title,
      text: chapter.text,
      transcript,
      machines: machinesText(this.#session.observer.view()),
      problems,
    };
  }

  /** Back to the page before; undefined on the first one. */
  *back(): Slices<LessonPage | undefined> {
    if (this.#page <= 1) return undefined;
    const wanted = this.#page - 1;
    this.#session.close();
    this.#session = this.#begin();
    this.#page = 0;
    while (this.#page < wanted - 1) yield* this.forward();
    return yield* this.forward();
  }

  close(): void {
    this.#session.close();
  }

  #begin(): Session {
    const session = this.#open();
    session.world.powerOn();
    return session;
  }
}

function chaptersOf(steps: readonly Step[]): Chapter[] {
  const chapters: { title: string; text: string; steps: Step[] }[] = [];
  let prologue: Step[] = [];
  for (const step of steps) {
    if (step.title !== undefined) {
      chapters.push({ title: step.title, text: step.text ?? '', steps: [...prologue, step] });
      prologue = [];
    } else (chapters.at(-1)?.steps ?? prologue).push(step);
  }
  return chapters;
}
