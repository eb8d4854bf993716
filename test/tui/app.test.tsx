import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runScreen, type Terminal } from '../../src/tui/app.tsx';
import { twoMachines } from './support.ts';

/** A terminal of 80 by 24 whose output is kept. */
class FakeTerminal {
  readonly stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => this.stdin,
    ref: () => this.stdin,
    unref: () => this.stdin,
  });
  readonly stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  written = '';

  constructor() {
    this.stdout.on('data', (bytes: Buffer) => {
      this.written += bytes.toString('utf8');
    });
  }

  get terminal(): Terminal {
    return { stdin: this.stdin, stdout: this.stdout, colour: false } as unknown as Terminal;
  }

  /** Waits until the text was written after now, at most five seconds. */
  async shows(text: string, from = 0): Promise<void> {
    const limitMs = performance.now() + 5000;
    while (!this.written.slice(from).includes(text)) {
      if (performance.now() > limitMs) throw new Error(`"${text}" did not appear in ${this.written.slice(from)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async press(keys: string, text: string): Promise<void> {
    const from = this.written.length;
    this.stdin.write(keys);
    await this.shows(text, from);
  }
}

describe('the screen on a terminal', () => {
  it('draws, takes keys, and leaves the terminal as it was', async () => {
    const fake = new FakeTerminal();
    const ended = runScreen(twoMachines(), 1, fake.terminal);
    await fake.shows('⏸ paused');
    expect(fake.written.startsWith('\u001b[?1049h')).toBe(true);
    await fake.press('?', 'cut or restore the power of the selected machine');
    await fake.press('?', 'MACHINE');
    await fake.press('\u001b[B', '❯ cp-2');
    await fake.press('p', '✕ off');
    await fake.press(':hello', ' $ hello');
    await fake.press('\u007f', ' $ hell▏');
    await fake.press('\u001b', 'time stands still');
    await fake.press(' ', '▶ 10×');
    await fake.press(' ', '⏸ paused');
    const before = fake.written.length;
    Object.assign(fake.stdout, { columns: 60, rows: 20 });
    fake.stdout.emit('resize');
    await fake.shows('space play  p power  b bootstrap  ? help  q quit', before);
    expect(fake.written.slice(before)).toContain('\u001b[2J');
    fake.stdin.write('q');
    expect(await ended).toBe(0);
    expect(fake.written.endsWith('\u001b[?1049l')).toBe(true);
  });

  it('Ctrl-C leaves it too', async () => {
    const fake = new FakeTerminal();
    const ended = runScreen(twoMachines(), 1, fake.terminal);
    await fake.shows('⏸ paused');
    fake.stdin.write('\u0003');
    expect(await ended).toBe(130);
    expect(fake.written).toContain('\u001b[?1049l');
  });
});
