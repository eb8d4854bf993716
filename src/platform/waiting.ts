import type { Cancel, Resume, Task } from './task.ts';
import { wait } from './task.ts';

/** Tasks that wait for one thing; when it happens all go on, in the order in which they came. */
export class Waiting {
  #resumes: Resume<void>[] = [];

  /** Adds a task; what is returned takes it away. */
  add(resume: Resume<void>): Cancel {
    this.#resumes.push(resume);
    return () => {
      this.#resumes = this.#resumes.filter((other) => other !== resume);
    };
  }

  /** Waits until {@link wake}. */
  woken(): Task<void> {
    return wait<void>((resume) => this.add(resume));
  }

  wake(): void {
    const resumes = this.#resumes;
    if (resumes.length === 0) return;
    this.#resumes = [];
    for (const resume of resumes) resume();
  }

  /** Nobody is told: the machine is gone. */
  forget(): void {
    this.#resumes = [];
  }
}
