import { CtlExit, ExitCode, type Format, type Run } from '../context.ts';

/** An answer in the formats that a command has; texts end with a line break. */
export type Renderings = Partial<Readonly<Record<Format, () => string>>>;

/** Prints an answer in the format that was asked for; ends the command when it has none. */
export function show(run: Run, renderings: Renderings): void {
  const render = renderings[run.format];
  if (render === undefined) throw new CtlExit(ExitCode.BadFeature, `${run.format} not supported as output format`);
  run.context.out(render());
}

/** Lines as one text; nothing for no lines. */
export function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
