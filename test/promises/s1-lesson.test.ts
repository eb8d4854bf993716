import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Session } from '../../src/lab/engine/session.ts';
import { finished } from '../../src/lab/engine/slices.ts';
import { planOf } from '../../src/lab/engine/variant.ts';
import { Lesson, type LessonPage } from '../../src/lab/lesson/lesson.ts';
import { openScenario } from '../../src/runner/scenario-file.ts';
import { ROOT } from '../e2e/run.ts';

function openLesson(mistake?: string): Lesson {
  const { scenario, deps } = openScenario(join(ROOT, 'scenarios', 'bring-up.yaml'));
  const { steps } = planOf(
    scenario,
    scenario.mistakes.find(({ name }) => name === mistake),
  );
  return new Lesson(steps, () => new Session(scenario, { seed: 1, digest: 'fast', strictWire: false }, deps));
}

/** The column of a machine in the table of a page. */
function cells(page: LessonPage, machine: string): string[] {
  const row = page.machines.split('\n').find((line) => line.startsWith(`${machine} `))!;
  return row.split(/ {2,}/).slice(1);
}

describe('cluster bring-up, step by step', () => {
  it('has ten pages with title, text and the state of three control planes and two workers; forward and back', () => {
    const lesson = openLesson();
    const forward = () => finished(lesson.forward());
    const pages: LessonPage[] = [];
    for (let page = forward(); page !== undefined; page = forward()) pages.push(page);
    expect(pages.map(({ number }) => number)).toEqual(
      Array.from({ length: 10 }, (_, index) => `${String(index + 1).padStart(2, '0')}/10`),
    );
    for (const { title, text, problems, machines } of pages) {
      expect(problems).toEqual([]);
      expect(title.length * text.length).toBeGreaterThan(0);
      for (const name of ['cp-1', 'cp-2', 'cp-3', 'worker-1', 'worker-2']) expect(machines).toContain(`${name} `);
    }
    expect(cells(pages[0]!, 'cp-1')).toEqual(['maintenance', 'ISO · maintenance', 'no config', '—', '—', '—', '—']);
    expect(pages[3]!.title).toBe('Bootstrap one control plane');
    expect(pages[3]!.transcript).toContain('$ talosctl bootstrap -n 10.0.0.10 -e 10.0.0.10\n');
    expect(cells(pages[9]!, 'worker-2').at(-1)).toBe('Ready');
    const back = finished(lesson.back())!;
    expect(back).toEqual(pages[8]);
    expect(forward()).toEqual(pages[9]);
    lesson.close();
  });

  it('takes the mistake of a second bootstrap in', () => {
    const lesson = openLesson('bootstrap-twice');
    const forward = () => finished(lesson.forward());
    let last: LessonPage | undefined;
    for (let page = forward(); page !== undefined; page = forward()) last = page;
    expect(lesson.pages).toBe(7);
    expect(last!.machines.match(/★ leader/g)).toHaveLength(2);
    lesson.close();
  });
});
