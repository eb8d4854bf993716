import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FrameWriter } from '../../src/tui/frames.ts';

/** A terminal of `columns` by 24, and what was written to it since it was last asked. */
function terminal(columns: number) {
  const stdout = Object.assign(new PassThrough(), { columns, rows: 24 }) as unknown as NodeJS.WriteStream;
  const taken = (): string => String((stdout as unknown as PassThrough).read() ?? '');
  return { stdout, taken };
}

const synchronized = (text: string): string => `\u001b[?2026h${text}\u001b[?2026l`;

describe('frames on a terminal', () => {
  it('writes the rows that differ, and nothing where none does', () => {
    const { stdout, taken } = terminal(80);
    const writer = new FrameWriter(stdout);
    writer.draw('a\nb\nc');
    expect(taken()).toBe(synchronized('\u001b[2J\u001b[1;1H\u001b[2Ka\u001b[2;1H\u001b[2Kb\u001b[3;1H\u001b[2Kc'));
    writer.draw('a\nB\nc');
    expect(taken()).toBe(synchronized('\u001b[2;1H\u001b[2KB'));
    writer.draw('a\nB\nc');
    expect(taken()).toBe('');
    writer.draw('a');
    expect(taken()).toBe(synchronized('\u001b[2;1H\u001b[2K\u001b[3;1H\u001b[2K'));
  });

  it('draws all anew when the terminal has another size', () => {
    const { stdout, taken } = terminal(80);
    const writer = new FrameWriter(stdout);
    writer.draw('a\nb');
    taken();
    Object.assign(stdout, { columns: 60 });
    writer.draw('a\nb');
    expect(taken()).toBe(synchronized('\u001b[2J\u001b[1;1H\u001b[2Ka\u001b[2;1H\u001b[2Kb'));
  });

  it('lets Ink wait for its writes', async () => {
    const { stdout } = terminal(80);
    const stream = new FrameWriter(stdout).asStream();
    expect(stream.columns).toBe(80);
    await new Promise<void>((resolve) => stream.write('', () => resolve()));
  });
});
