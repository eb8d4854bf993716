import { Box, render, Text, useApp, useInput, useStdout } from 'ink';
import { useEffect, useReducer, useRef, useState } from 'react';
import { EXIT } from '../cli/exit.ts';
import type { Session } from '../lab/engine/session.ts';
import { paint } from './cells.ts';
import { type KeyName, LabController } from './controller.ts';
import { FrameWriter } from './frames.ts';
import { drawScreen } from './screen.ts';

const FRAME_MS = 100;

interface InkKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
}

function keyName(key: InkKey): KeyName | undefined {
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.leftArrow) return 'left';
  if (key.rightArrow) return 'right';
  if (key.return) return 'return';
  if (key.escape) return 'escape';
  return key.backspace || key.delete ? 'backspace' : undefined;
}

function useSize(): { columns: number; rows: number } {
  const { stdout } = useStdout();
  const read = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const [size, setSize] = useState(read);
  useEffect(() => {
    const update = (): void => setSize(read());
    stdout.on('resize', update);
    return () => {
      stdout.off('resize', update);
    };
  });
  return size;
}

interface LabAppProps {
  readonly controller: LabController;
  readonly colour: boolean;
  /** Ctrl-C was pressed: the screen ends. */
  readonly onInterrupt: () => void;
}

/** The screen: a thin shell around {@link LabController} and {@link drawScreen}. */
export function LabApp({ controller, colour, onInterrupt }: LabAppProps) {
  const { exit } = useApp();
  const size = useSize();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const last = useRef(0);
  useEffect(() => {
    last.current = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      const elapsedMs = Math.min(FRAME_MS * 3, now - last.current);
      last.current = now;
      if (!controller.playing) return;
      controller.tick(elapsedMs);
      redraw();
    }, FRAME_MS);
    return () => clearInterval(timer);
  }, [controller]);
  useInput((input, key) => {
    if (key.ctrl && input === 'c') {
      onInterrupt();
      exit();
      return;
    }
    const name = keyName(key);
    // Pasted or quickly typed text arrives as one input.
    const pieces = name === undefined ? [...input] : [''];
    for (const piece of pieces) if (controller.key(piece, name) === 'quit') exit();
    redraw();
  });
  const lines = drawScreen(controller.model(), size);
  return (
    <Box flexDirection="column" width={size.columns} height={lines.length}>
      <Text wrap="truncate">{lines.map((line) => paint(line, colour)).join('\n')}</Text>
    </Box>
  );
}

const ENTER_ALTERNATE = '\u001b[?1049h\u001b[?25l\u001b[2J\u001b[H';
const LEAVE_ALTERNATE = '\u001b[?25h\u001b[?1049l';

/** Where the screen is drawn and keys come from. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly colour: boolean;
}

/** Draws until the person quits. Restores the terminal however it ends; the exit code tells q from Ctrl-C. */
export async function runScreen(session: Session, seed: number, terminal: Terminal): Promise<number> {
  const { stdin, stdout, colour } = terminal;
  const controller = new LabController(session, seed);
  let code: number = EXIT.passed;
  const interrupt = (): void => {
    code = EXIT.interrupted;
  };
  stdout.write(ENTER_ALTERNATE);
  try {
    const app = render(<LabApp controller={controller} colour={colour} onInterrupt={interrupt} />, {
      stdin,
      stdout: new FrameWriter(stdout).asStream(),
      exitOnCtrlC: false,
      // Nothing here writes to the console.
      patchConsole: false,
      // Every write is one whole frame, which the writer above puts on the screen.
      debug: true,
    });
    await app.waitUntilExit();
  } finally {
    stdout.write(LEAVE_ALTERNATE);
    session.close();
  }
  return code;
}
